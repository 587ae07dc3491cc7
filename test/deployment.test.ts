import { existsSync, readFileSync } from 'node:fs'
import { DockerfileParser } from 'dockerfile-ast'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const dockerfile = DockerfileParser.parse(readFileSync('Dockerfile', 'utf8'))
const instructions = dockerfile.getInstructions().map((i) => ({ keyword: i.getKeyword(), text: i.getArgumentsContent() ?? '' }))
const last = instructions.slice(instructions.findLastIndex((i) => i.keyword === 'FROM'))

describe('the container image', () => {
  test('has a fixed base, runs as nobody special, and receives signals itself', () => {
    for (const from of dockerfile.getFROMs()) expect(from.getImage()).toMatch(/^node:24/)
    expect(last.findLast((i) => i.keyword === 'USER')?.text).toBe('prelaunch')
    expect(JSON.parse(last.findLast((i) => i.keyword === 'CMD')?.text ?? '')).toEqual(['node', '--disable-sigusr1', 'dist/src/main.js'])
    expect(last.some((i) => i.keyword === 'HEALTHCHECK' && i.text.includes('/healthz'))).toBe(true)
  })

  test('holds no secret and leaves no package lists', () => {
    for (const { keyword, text } of instructions) {
      expect(['ADD', 'MAINTAINER']).not.toContain(keyword)
      if (keyword === 'ENV' || keyword === 'ARG') expect(text).not.toMatch(/KEY|SECRET|TOKEN|PASSWORD/)
      if (/apt-get install/.test(text)) expect(text).toMatch(/--no-install-recommends[\s\S]*rm -rf \/var\/lib\/apt\/lists/)
    }
  })

  test('copies only what is there', () => {
    for (const copy of dockerfile.getCOPYs()) {
      if (copy.getFromFlag()) continue
      const paths = copy.getArguments().map((a) => a.getValue())
      for (const path of paths.slice(0, -1)) expect(existsSync(path), path).toBe(true)
    }
  })
})

test('the compose file has the App beside a PostgreSQL that is ready first', () => {
  const { services, volumes } = parse(readFileSync('compose.yaml', 'utf8'))
  expect(services.prelaunch.environment.DATABASE_URL).toMatch(/^postgres:\/\/prelaunch:\$\{DB_PASSWORD/)
  expect(services.prelaunch.depends_on.db.condition).toBe('service_healthy')
  expect(services.db.volumes).toEqual(['db:/var/lib/postgresql/data'])
  expect(Object.keys(volumes)).toEqual(['db', 'sandbox'])
})

test('the compose file gives the sandbox nothing, and the App its socket', () => {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'))
  const { sandbox, prelaunch } = services
  expect(sandbox).toMatchObject({ network_mode: 'none', read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  expect([sandbox.pids_limit, sandbox.mem_limit]).toEqual([512, '6g'])
  expect([sandbox.env_file, sandbox.ports, sandbox.networks]).toEqual([undefined, undefined, undefined])
  expect(Object.keys(sandbox.environment)).toEqual(['SANDBOX_SOCKET'])
  expect(sandbox.volumes).toEqual(['sandbox:/run/prelaunch'])
  expect(prelaunch.environment.SANDBOX_SOCKET).toBe(sandbox.environment.SANDBOX_SOCKET)
})

test('the compose file takes from every service what it does not need', () => {
  const { services, networks } = parse(readFileSync('compose.yaml', 'utf8'))
  for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
    expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], pids_limit: expect.any(Number) })
    expect((service['tmpfs'] as string[])[0], name).toMatch(/^\/tmp:.*noexec,nosuid,nodev/)
    expect(service['privileged'], name).toBeUndefined()
  }
  expect(services.prelaunch.cap_add).toBeUndefined()
  expect(services.sandbox.cap_add).toBeUndefined()
  expect(services.db.cap_add).toEqual(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'])
  expect(services.db.networks).toEqual(['store'])
  expect(services.db.ports).toBeUndefined()
  expect(networks.store).toEqual({ internal: true })
})

test('every test that SECURITY.md names is there', () => {
  const named = readFileSync('SECURITY.md', 'utf8').match(/`test\/[^`]+`/g) ?? []
  expect(named.length).toBeGreaterThan(14)
  for (const path of named) expect(existsSync(path.slice(1, -1)), path).toBe(true)
})
