import { UNDEFINED } from '../domain/abstract-value.ts'
import { statusIn } from '../platform/responses.ts'
import type { Library } from './library.ts'

/** What throws unless something holds: `assert(session)`, `invariant(user, 'not signed in')`. */
export const assertions: Library = {
  packages: [
    'node:assert',
    'node:assert/strict',
    'assert',
    'assert/strict',
    'tiny-invariant',
    'invariant',
    'ts-invariant',
    '@epic-web/invariant',
    'http-assert',
  ],
  call(c) {
    const [test, second, third] = c.args
    if (!test || !/^(?:default|assert|ok|default\.ok|assert\.ok|strict|invariant|invariantResponse)$/.test(c.name || 'default')) return undefined
    const answers = c.name === 'invariantResponse' || (c.root.v === 'lib' && c.root.pkg === 'http-assert')
    const status = answers
      ? (statusIn(third?.v === 'object' ? third.props.status : third) ?? (second?.v === 'const' && typeof second.value === 'number' ? second.value : 400))
      : undefined
    c.it.require(test, c.at, status === undefined ? undefined : { ends: true, how: 'throw', status })
    return UNDEFINED
  },
}
