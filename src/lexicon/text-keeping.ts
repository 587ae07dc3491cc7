const WRITES_LINES =
  /^(?:log|info|debug|warn|error|trace|verbose|write|print|emit|track|capture\w*|add\w*Breadcrumb|set|push|join|concat|replace|test|match|digest|update|parse|stringify)$/i

/** Whether a method writes a text down for people, keeps or compares it, and runs nothing: `info`, `push`, `replace`; not `query`. */
export const keepsText = (method: string): boolean => WRITES_LINES.test(method)
