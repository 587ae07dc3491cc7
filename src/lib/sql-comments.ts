/** SQL with its comments blanked out, those that look like one inside a quoted text kept; offsets and lines hold. */
export function withoutSqlComments(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (found) => (found.startsWith("'") ? found : found.replace(/[^\n]/g, ' ')))
}
