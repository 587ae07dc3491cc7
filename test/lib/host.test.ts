import { expect, test } from 'vitest'
import { hostOf, isSharedWildcard, nonProductionHost } from '../../src/lib/host.ts'

test.each([
  ['http://localhost:3000/x', 'localhost'],
  ['https://127.0.0.1', 'localhost'],
  ['http://[::1]:5173', 'localhost'],
  ['http://192.168.1.20:8080', 'LAN address'],
  ['http://172.20.0.2', 'LAN address'],
  ['http://172.32.0.2', undefined],
  ['https://abc.ngrok-free.app/cb', 'tunnel'],
  ['https://shop-git-main.vercel.app', 'preview domain'],
  ['https://preview--shop.lovable.app', 'preview domain'],
  ['https://shop.example', undefined],
  ['https://localhost.shop.example', undefined],
  ['https://user@localhost/', 'localhost'],
  ['myapp://callback', undefined],
  ['', undefined],
])('%s is %s', (url, kind) => {
  expect(nonProductionHost(url)).toBe(kind)
})

test('wildcards over everybody’s previews, not over one’s own', () => {
  expect(isSharedWildcard('https://*.vercel.app/**')).toBe(true)
  expect(isSharedWildcard('*.netlify.app')).toBe(true)
  expect(isSharedWildcard('**')).toBe(true)
  expect(isSharedWildcard('https://*-team.vercel.app/**')).toBe(false)
  expect(isSharedWildcard('https://*.shop.example/**')).toBe(false)
  expect(hostOf('https://*.vercel.app/**')).toBe('*.vercel.app')
})
