import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

/** How Node announces its inspector. */
const OPENED = /Debugger listening/

/** Sends SIGUSR1 once the program has written something, and tells whether the inspector opened before the program was ended. */
async function opensInspector(args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ['--inspect-port=0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await once(child.stdout, 'data')
  for (let i = 0; i < 20 && !OPENED.test(said) && child.exitCode === null && child.signalCode === null; i++) {
    child.kill('SIGUSR1')
    await sleep(100)
  }
  const ended = child.exitCode ?? child.signalCode
  child.kill('SIGKILL')
  expect(ended, 'the signal ends nothing').toBeNull()
  return OPENED.test(said)
}

/** Keeps a program alive, after whatever it does by itself. */
const STAY = "console.log('up'); setInterval(() => undefined, 1000)"

test.skipIf(process.platform === 'win32')('SIGUSR1 opens the inspector of an ordinary program', async () => {
  expect(await opensInspector(['-e', STAY])).toBe(true)
})

test.skipIf(process.platform === 'win32')('SIGUSR1 opens no inspector of the command line', async () => {
  expect(await opensInspector(['-e', `process.argv.splice(1, 9, 'prelaunch', 'checks'); require('./bin/prelaunch.cjs'); ${STAY}`])).toBe(false)
})

test.skipIf(process.platform === 'win32')('SIGUSR1 opens no inspector of a program with the flag', async () => {
  expect(await opensInspector(['--disable-sigusr1', '-e', STAY])).toBe(false)
})

test('every way to start the App and the service has the flag', () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'))
  expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start).toContain('node --disable-sigusr1 src/main.ts')
  expect(readFileSync('Dockerfile', 'utf8')).toContain('CMD ["node", "--disable-sigusr1", "dist/src/main.js"]')
  expect(services.sandbox.command).toEqual(['node', '--disable-sigusr1', 'dist/src/sandbox-service.js'])
})
