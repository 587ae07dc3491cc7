/** Code of the repository changed who may do what while the auditor prepared its trials: nothing that follows would be true. */
export class Tampered extends Error {
  override readonly name = 'Tampered'
}
