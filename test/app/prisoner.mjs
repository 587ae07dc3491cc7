// Tries what an isolated process must not be able to do, and says what came of it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'

const [parent, port, file] = process.argv.slice(2)
const channel = new Socket({ fd: 3, readable: true, writable: true })
const attempt = (run) => {
  try {
    const result = run()
    return result === undefined ? 'done' : result
  } catch (error) {
    return error.code ?? error.name
  }
}
const network = await new Promise((resolve) => {
  connect(Number(port), '127.0.0.1', () => resolve('done')).on('error', (error) => resolve(error.code))
})
channel.write(
  JSON.stringify({
    environment: Object.keys(process.env),
    network,
    file: attempt(() => readFileSync(file, 'utf8')),
    write: attempt(() => writeFileSync(`${file}.2`, 'x')),
    process: attempt(() => String(spawnSync('/bin/true').status)),
    code: attempt(() => new Function('return "done"')()),
    parentEnvironment: attempt(() => readFileSync(`/proc/${parent}/environ`, 'utf8')),
    parentAlive: attempt(() => String(process.kill(Number(parent), 0))),
    descriptors: attempt(() => readdirSync('/proc/self/fd').length),
  }),
)
channel.end(() => process.exit(0))
