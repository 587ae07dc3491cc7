import { leaveSecretsBehind, takeSecretsOver } from './app/secrets.ts'

// Node opens its inspector on SIGUSR1, and through it runs any code: not even where the program was started without --disable-sigusr1.
process.on('SIGUSR1', () => undefined)

leaveSecretsBehind()
const hidden = takeSecretsOver()
// Loaded by the process that stays only.
await (await import('./app/serve.ts')).serve(hidden)
