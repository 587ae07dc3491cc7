// Names every module that a program loads, and what asked for it.
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    writeSync(1, `${JSON.stringify({ module: resolved.url, by: context.parentURL ?? '' })}\n`)
    return resolved
  },
})
