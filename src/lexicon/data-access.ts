const DATA_ACCESS =
  /^(?:find(?:One|Many|All|First|Unique|ById|By\w*)?|query(?:Raw|One|All|Row|Rows)?|execute(?:Sql|Query|Raw)?|insert(?:One|Many|Into)?|update(?:One|Many|ById|Row)?|upsert|delete(?:One|Many|ById|From|Row)?|destroy|remove(?:One|ById)|save|select(?:From|One|All)?|fetch(?:One|All|Row|Rows)|run(?:Query|Sql|Cypher))$/

/** Whether a method is called like one that reads or changes stored rows: `findOne`, `query`, `deleteMany`; not `get`, `set` or `add`, which caches and forms have. */
export const reachesStoredData = (method: string): boolean => DATA_ACCESS.test(method)
