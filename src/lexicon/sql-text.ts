/** What a text has to begin with, and then to hold, for nothing else than SQL to look like it. */
const SQL_SHAPE =
  /^\s*(?:select\b[^;]{1,2000}?\bfrom\s+["`\w.]+|insert\s+into\s+["`\w.]+|update\s+["`\w.]+\s+set\b|delete\s+from\s+["`\w.]+|with\s+\w{1,63}\s+as\s*\()/i
const SQL_CLAUSE = /\b(?:where|values|set|limit|join|order\s+by|group\s+by|returning)\b|\*\s+from\b|\bcount\s*\(/i

/** Whether a text can be nothing but a statement of SQL: `select * from notes where id = 1`, not "Select the best from these". */
export const looksLikeStatement = (text: string): boolean => SQL_SHAPE.test(text) && SQL_CLAUSE.test(text)
