import { writeSync } from 'node:fs'
import { Engine } from '../../../src/database/sandbox/engine.ts'
import { hostileModule } from './hostile-module.mts'

// A superuser of the bare engine writes a side module to the engine's files and links it: does its string run as JavaScript?
if (JSON.parse(process.argv[2] as string).wasmGate) {
  const [{ installWasmGate }, { knownModules }] = await Promise.all([
    import('../../../src/database/isolation/wasm-gate.ts'),
    import('../../../src/database/isolation/known-modules.ts'),
  ])
  installWasmGate(knownModules())
}
const engine = await Engine.start()
const hex = Buffer.from(hostileModule('globalThis.HOSTILE = 1')).toString('hex')
await engine.exec('create extension pgcrypto')
let said = ''
try {
  await engine.exec(
    `do $$ declare o oid; begin o := lo_from_bytea(0, decode('${hex}', 'hex')); perform lo_export(o, '/tmp/x.so'); execute 'load ''/tmp/x.so'''; end $$`,
  )
} catch (error) {
  said = (error as Error).message
}
const works = (await engine.exec("select encode(digest('a', 'sha1'), 'hex') as sum")).rows[0]?.['sum']
writeSync(3, `${JSON.stringify({ ran: 'HOSTILE' in globalThis, said, works })}\n`)
process.exit(0)
