/** Payment processors, webhook endpoints and what they do. Filled in by its builder. */
export interface PaymentsModel {
  readonly processors: readonly string[]
}
