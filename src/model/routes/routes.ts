/** Every HTTP entry of the application. Filled in by its builder. */
export interface RoutesModel {
  readonly routes: readonly Route[]
}

export interface Route {
  /** `GET`, …; undefined when the handler takes every method. */
  readonly method?: string
  /** With parameters as `[param]`. */
  readonly route: string
  readonly kind: 'api' | 'page' | 'action' | 'edge-function' | 'procedure'
  readonly subject: string
  readonly path: string
  readonly line: number
  readonly endLine?: number
  readonly framework: string
  readonly workspace?: string
}
