import { says } from '../../../lib/snake-case.ts'
import type { Column, Table } from '../../database.ts'

/** What opens an account with somebody else's service: a provider's key, the secret of a client, what renews a token. */
const SERVICE_KEY_COLUMN =
  /(^|_)((api|secret|private|service_role|consumer)_key|(client|consumer|webhook|app)_secret|refresh_token|bot_token)(_encrypted|_enc|_ciphertext)?$/i
/** All of it in one document; as a text it is what a doctor has learned. */
const CREDENTIALS = /(^|_)credentials?(_encrypted|_enc)?$/i

/** Whether a column holds the whole access to a service as one document. */
export const isCredentials = ({ name, type }: Column): boolean => says(CREDENTIALS, name) && /^(jsonb?|bytea)$/.test(type)

/** Whether a row holds keys of a service: that its owner shows it, or the page that it belongs to, shows nobody those. */
export const holdsServiceKeys = ({ columns }: Pick<Table, 'columns'>): boolean =>
  columns.some((c) => isCredentials(c) || (says(SERVICE_KEY_COLUMN, c.name) && !/^bool/.test(c.type)))
