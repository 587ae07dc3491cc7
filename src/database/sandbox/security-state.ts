import type { Engine } from './engine.ts'

/** What decides who may do what, a text for each object; and who the session is, which code that runs as the owner could change. */
const STATE = `
  select 'session ' || session_user || ' ' || current_user || ' ' || current_setting('session_replication_role') || ' ' || current_setting('row_security') || ' ' || current_setting('default_transaction_read_only') as state
  union all select concat_ws(' ', 'relation', oid, relkind, relowner, relrowsecurity, relforcerowsecurity, relacl) from pg_class where oid >= 16384 and relkind in ('r', 'p', 'f', 'v', 'm')
  union all select concat_ws(' ', 'column', attrelid, attnum, attacl) from pg_attribute where attacl is not null
  union all select concat_ws(' ', 'policy', oid, polrelid, polcmd, polpermissive, polroles, md5(polqual::text), md5(polwithcheck::text)) from pg_policy
  union all select concat_ws(' ', 'function', oid, proowner, prosecdef, proacl, proconfig, md5(prosrc), md5(prosqlbody::text)) from pg_proc where oid >= 16384
  union all select concat_ws(' ', 'trigger', oid, tgrelid, tgfoid, tgenabled) from pg_trigger where not tgisinternal
  union all select concat_ws(' ', 'rule', oid, ev_class, ev_enabled, md5(ev_action::text)) from pg_rewrite where oid >= 16384
  union all select concat_ws(' ', 'schema', oid, nspowner, nspacl) from pg_namespace
  union all select concat_ws(' ', 'role', oid, rolsuper, rolinherit, rolcreaterole, rolbypassrls) from pg_roles
  union all select concat_ws(' ', 'member', roleid, member, admin_option, inherit_option, set_option) from pg_auth_members
  union all select concat_ws(' ', 'default', oid, defaclrole, defaclnamespace, defaclobjtype, defaclacl) from pg_default_acl`

/** A digest of who may do what in the database, and of who the session is. */
export async function securityState(engine: Engine): Promise<string> {
  const { rows } = await engine.ask(`select md5(string_agg(state, E'\\n' order by state)) as digest from (${STATE}) s`)
  return String(rows[0]?.['digest'])
}
