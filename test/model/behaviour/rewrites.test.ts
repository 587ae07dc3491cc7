import { expect, test } from 'vitest'
import { type Alt, constant, type Val } from '../../../src/model/behaviour/domain/abstract-value.ts'
import { destinationOf, RewriteLog } from '../../../src/model/behaviour/platform/url-rewrites.ts'

const PATH: Val = { v: 'request', part: 'url', name: 'pathname' }
const HOST: Val = { v: 'request', part: 'header', name: 'host' }
const text = (...parts: Val[]): Val => ({ v: 'text', parts })
const url = (to: Val): Val => ({ v: 'call', name: 'URL', args: [to, { v: 'request', part: 'url' }] })
const any = (...values: Val[]): Val => ({ v: 'any', choice: 1, alts: values.map((value, i): Alt => ({ i, value, under: [] })) })
const ANSWER: Val = { v: 'response', how: 'redirect' }

test('a rewrite leads to the page that is asked about, elsewhere, or the code does not say', () => {
  const request = { path: '/desk/settings' }
  expect(destinationOf(url(constant('/desk/settings/')), request)).toBe('here')
  expect(destinationOf(url(constant('/login')), request)).toBe('elsewhere')
  expect(destinationOf(url(text(constant('/desk/settings'), any(constant(''), text(constant('?'), HOST)))), request)).toBe('here')
  expect(destinationOf(url(text(constant('/'), HOST, constant('/settings'))), request)).toBe('somewhere')
  expect(destinationOf(url(text(constant('/desk/settings'), HOST)), request)).toBe('somewhere')
  expect(destinationOf(undefined, request)).toBe('somewhere')
  expect(destinationOf(url(constant('/desk/settings')), { path: '/settings', page: { path: '/desk/settings', answering: [] } })).toBe('here')
})

test('what is put in front of the requested path is known, and who has no part in it', () => {
  const log = new RewriteLog()
  log.returned('helper', log.mark, [HOST])
  const app = log.mark
  log.note(url(text(constant('/desk'), PATH)))
  log.returned('app', app, [any(ANSWER, ANSWER)])
  const office = log.mark
  log.note(url(text(constant('/office'), any(constant(''), PATH))))
  log.returned('office', office, [ANSWER])
  const links = log.mark
  log.note(url(text(constant('/'), HOST, PATH)))
  log.returned('links', links, [ANSWER])
  const anything = log.mark
  log.note({ v: 'unknown' })
  log.returned('anything', anything, [ANSWER])
  log.returned('sometimes', log.mark, [ANSWER])
  log.returned('sometimes', log.mark, [constant(null)])
  expect(log.rewrites).toEqual([
    { front: '/desk', answering: ['office', 'links'] },
    { front: '/office', answering: ['app', 'links'] },
  ])
})
