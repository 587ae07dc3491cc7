import { REAL_EXTENSIONS } from './extension-files.ts'
import { ident, type Tree } from './statements/tree.ts'

/** What extensions that the engine lacks leave behind; the rest of them is in the prelude or made up when it is used. */
const STAND_INS: Readonly<Record<string, string>> = {
  postgis:
    'create domain SCHEMA.geometry as text; create domain SCHEMA.geography as text; create table if not exists SCHEMA.spatial_ref_sys (srid integer primary key, auth_name varchar(256), auth_srid integer, srtext varchar(2048), proj4text varchar(2048))',
}

/** Tables that stand-ins make, and the extension that would have brought them along. */
export const STAND_IN_TABLES: Readonly<Record<string, string>> = { spatial_ref_sys: 'postgis' }

/** Schemas in which the platform puts an extension whatever the statement says. */
const OWN_SCHEMA: Readonly<Record<string, string>> = {
  pg_cron: 'pg_catalog',
  pg_net: 'extensions',
  pg_graphql: 'graphql',
  supabase_vault: 'vault',
  pgmq: 'pgmq',
  pgsodium: 'pgsodium',
}

/** CREATE EXTENSION as the platform does it: by a privileged role, into the schema asked for. */
export async function createExtension(node: Tree, administer: (sql: string) => Promise<void>): Promise<void> {
  const name = String(node.extname)
  const option = (node.options ?? []).find((o: Tree) => o.DefElem?.defname === 'schema')
  const schema = option?.DefElem?.arg?.String?.sval as string | undefined
  if (schema) await administer(`create schema if not exists ${ident(schema)}`).catch(() => undefined)
  if (REAL_EXTENSIONS.has(name)) {
    await administer(
      // for this statement only: RESET would take the schema of extensions away from the rest of the file
      `set local search_path = public, extensions; create extension if not exists ${ident(name)}${schema ? ` schema ${ident(schema)}` : ''} cascade`,
    )
    return
  }
  const standIn = OWN_SCHEMA[name] ? undefined : STAND_INS[name]
  if (standIn) await administer(standIn.replaceAll('SCHEMA', ident(schema ?? 'public'))).catch(() => undefined)
}

/** ALTER EXTENSION ... SET SCHEMA, which the platform carries out by the same role; what it lacks here has nothing that could move. */
export async function moveExtension(node: Tree, administer: (sql: string) => Promise<void>): Promise<void> {
  const name = String(node.object?.String?.sval)
  if (REAL_EXTENSIONS.has(name)) await administer(`alter extension ${ident(name)} set schema ${ident(String(node.newschema))}`)
}

export const isMovedExtension = (kind: string, node: Tree): boolean => kind === 'AlterObjectSchemaStmt' && node.objectType === 'OBJECT_EXTENSION'
