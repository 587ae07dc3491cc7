import { describe, expect, test } from 'vitest'
import { covers, joinPaths, matchesSource, routerPath, safeRegExp, samplePath } from '../../../src/model/frameworks/path-pattern.ts'

describe('matcher sources of Next.js', () => {
  const STATIC = '/((?!api|_next/static|_next/image|favicon.ico|.*\\.(?:svg|png)$).*)'
  test.each([
    ['/dashboard/:path*', '/dashboard', true],
    ['/dashboard/:path*', '/dashboard/a/b', true],
    ['/dashboard/:path*', '/dashboards', false],
    ['/dashboard/:path+', '/dashboard', false],
    ['/blog/:slug', '/blog/a', true],
    ['/blog/:slug', '/blog/a/b', false],
    ['/post/:id(\\d{1,})', '/post/12', true],
    ['/post/:id(\\d{1,})', '/post/x', false],
    [STATIC, '/account', true],
    [STATIC, '/api/orders', false],
    [STATIC, '/logo.svg', false],
    ['/(en|de)/:path*', '/en/account', true],
    ['/account(.*)', '/account/x', true],
    ['/about', '/about', true],
    ['/about', '/about/us', false],
  ])('%s and %s: %s', (source, path, expected) => {
    expect(matchesSource(source, path)).toBe(expected)
  })

  test('a pattern that could backtrack without bound is not tried', () => {
    expect(matchesSource('/((a+)+)b', `/${'a'.repeat(60)}`)).toBeUndefined()
    expect(safeRegExp('^(a|a)*$')).toBeUndefined()
    expect(safeRegExp('^/(en|de)/app')?.test('/de/app')).toBe(true)
  })
})

describe('paths of routers', () => {
  test.each([
    ['/users/:id', '/users/[id]'],
    ['/users/:id(\\d+)', '/users/[id]'],
    ['/files/*', '/files/[...rest]'],
    ['users', '/users'],
    ['/a/:b?', '/a/[b]'],
  ])('%s is %s', (given, expected) => {
    expect(routerPath(given)).toBe(expected)
  })

  test('mounts, coverage and samples', () => {
    expect(joinPaths('/api', '/v1/', 'users')).toBe('/api/v1/users')
    expect(covers('/api/*', '/api/users')).toBe(true)
    expect(covers('/api', '/apis')).toBe(false)
    expect(covers('/', '/anything')).toBe(true)
    expect(samplePath('/[locale]/orders/[id]')).toBe('/en/orders/x1')
  })
})
