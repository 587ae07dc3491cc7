import { leaveSecretsBehind, takeSecretsOver } from './app/secrets.ts'

leaveSecretsBehind()
const hidden = takeSecretsOver()
// Loaded by the process that stays only.
await (await import('./app/serve.ts')).serve(hidden)
