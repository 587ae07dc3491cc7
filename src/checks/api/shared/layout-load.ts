import type { Route } from '../../../model/routes/routes.ts'

/**
 * Whether a handler is the load of a layout in SvelteKit. It answers no address of its own: whoever asks for the data of a page (`__data.json`) says which
 * loads are to run, and gets what this one gives.
 */
export const isLayoutLoad = ({ framework, kind, path }: Pick<Route, 'framework' | 'kind' | 'path'>): boolean =>
  framework === 'SvelteKit' && kind === 'api' && /(?:^|\/)\+layout\.server\.[jt]s$/.test(path)
