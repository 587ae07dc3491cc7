import { together } from '../../lib/memo/collect-by-file.ts'
import type { AppModel } from '../app-model.ts'
import { sourceFiles } from '../files/files.ts'
import { Program } from '../frameworks/program.ts'
import type { ModelInput } from '../model-input.ts'
import { clientPasswords } from './client-passwords.ts'
import type { CodeModel, SqlAccount } from './code.ts'
import { debugLogs } from './debug-logs.ts'
import { defaultSecrets } from './default-secrets.ts'
import { fixedKeys } from './fixed-keys.ts'
import { fixedPayers } from './fixed-payers.ts'
import { fixedPhones } from './fixed-phones.ts'
import { fixedUsers } from './fixed-users.ts'
import { hardcodedIdentities, mergeIdentities } from './identities.ts'
import { markersOf } from './markers.ts'
import { modeSwitches } from './mode-switches.ts'
import { openDoors } from './open-doors.ts'
import { ownerMails } from './owner-mails.ts'
import { hardcodedSecrets } from './secrets.ts'
import { oneOfEachPerson, sqlAccounts, sqlIdentities } from './sql-values.ts'
import { switches } from './switches.ts'

type Slices = Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules' | 'routes' | 'env'>

/** The code slice. */
export function buildCode(input: ModelInput, slices: Slices): CodeModel {
  const { files, modules } = slices
  const program = new Program(input.facts, slices)
  const owners = ownerAddresses(input)
  const sources = sourceFiles(input.facts.of('javascript'))
  const identities = hardcodedIdentities(program, sources, modules, owners)
  const keys = fixedKeys(program, sources, modules)
  const unfinished = [...markersOf(sources).values()]
  const accounts: SqlAccount[] = []
  for (const [path, sql] of input.facts.of('sql')) {
    if (files.role(path) !== 'source' || /discarded|archive|backup|seeds?[._-]|[._-]seeds?\b|sample|test/i.test(path)) continue
    const account = sqlAccounts(path, sql.text)
    // whoever looks around is given an account that may do nothing
    if (account && (!/demo/i.test(path) || (account.what === 'password' && SETS_ADMIN_SQL.test(sql.text)))) accounts.push(account)
  }
  const secrets = hardcodedSecrets(input, slices)
  // A value that its format or its name gives away is reported as that.
  const told = new Set(secrets.flatMap((s) => [s, ...s.also]).map((p) => `${p.path}:${p.line}`))
  return {
    secrets,
    identities: mergeIdentities([...identities, ...fixedPhones(program, sources, modules), ...sqlIdentities(slices.schema, owners)]),
    clientPasswords: clientPasswords(program, sources, modules),
    defaults: together(defaultSecrets(sources)),
    fixedKeys: [...new Map(keys.map((k) => [`${k.path}:${k.line}`, k])).values()].filter(
      (k) => files.role(k.path) === 'source' && !told.has(`${k.path}:${k.line}`),
    ),
    switches: [
      ...together(switches(sources)),
      ...together(modeSwitches(sources)).filter((s) => files.role(s.path) === 'source' && !modules.inBrowser(s.path, s.line)),
    ],
    openDoors: together(openDoors(sources)).filter((d) => files.role(d.path) === 'source'),
    debugLogs: together(debugLogs(sources)).filter((d) => files.role(d.path) === 'source'),
    fixedPayers: together(fixedPayers(sources)).filter((p) => files.role(p.path) === 'source'),
    ownerMails: ownerMails(sources, owners),
    fixedUsers: together(fixedUsers(sources)).filter((u) => files.role(u.path) === 'source'),
    sqlAccounts: oneOfEachPerson(accounts),
    markers: unfinished.flatMap((u) => u.marker ?? []),
    searched: { files: input.facts.of('secrets').size, markers: unfinished.reduce((sum, u) => sum + u.count, 0) },
  }
}

/** A statement that makes somebody an administrator. */
const SETS_ADMIN_SQL = /\bset\s+(?:role|user_role|user_type)\s{0,3}=\s{0,3}'(?:super_?)?admin'|\bset\s+is_admin\s{0,3}=\s{0,3}true\b/i

/** Addresses of commit authors and of package.json. */
function ownerAddresses(input: ModelInput): Set<string> {
  const found = new Set((input.history?.authors ?? []).map((a) => a.toLowerCase()))
  for (const manifest of input.facts.of('package-json').values()) {
    const mail = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}/.exec(manifest.author ?? '')?.[0]
    if (mail) found.add(mail.toLowerCase())
  }
  return found
}
