import type { Place } from '../../../lib/place.ts'
import { constant, type HostVal, Scope, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { respond, statusIn } from './responses.ts'

/** `res.status(401).json({…})`, `reply.code(401).send()`: the last status set on the chain and the call that sends. */
export function responseCall(it: Interpreter, of: HostVal, name: string, args: readonly Val[], at: Place): Val | undefined {
  switch (name) {
    case 'status':
    case 'code':
    case 'writeHead': {
      const status = statusIn(args[0])
      const held = { ...of, props: new Scope('', of.props) }
      held.props.vars.set('$status', status === undefined ? UNKNOWN : constant(status))
      it.write(of.props, '$status', status === undefined ? UNKNOWN : constant(status))
      return held
    }
    case 'sendStatus':
      return respond(it, 'other', statusIn(args[0]), undefined, at)
    case 'json':
    case 'send':
    case 'end':
    case 'render':
    case 'jsonp':
    case 'sendFile':
    case 'write':
    case 'pipe': {
      const set = of.props.vars.get('$status') ?? of.props.parent?.vars.get('$status')
      const status = set ? statusIn(set) : 200
      return respond(it, name === 'json' ? 'json' : 'other', status, args[0], at)
    }
    case 'redirect': {
      const last = args[args.length - 1]
      return respond(it, 'redirect', args.length > 1 ? (statusIn(args[0]) ?? 302) : 302, last, at)
    }
    case 'setHeader':
    case 'set':
    case 'header':
    case 'type':
    case 'append':
    case 'removeHeader':
    case 'clearCookie':
    case 'vary':
    case 'contentType':
    case 'attachment':
      return of
    case 'cookie':
    case 'setCookie':
      it.emit({ kind: 'cookie', name: 'res.cookie', args }, at)
      return of
    case 'on':
    case 'once':
      return of
  }
  return undefined
}

/** Koa answers with what a handler leaves in `ctx.status` and `ctx.body`; with a body alone the status is 200. */
export function answerByField(it: Interpreter, of: HostVal, name: string, value: Val, at: Place): void {
  if (name === 'body') {
    const set = of.props.vars.get('status')
    respond(it, 'json', set ? statusIn(set) : 200, value, at)
  } else if (name === 'status') {
    const status = statusIn(value)
    if (status !== undefined && status >= 400) it.lastRespond = { how: 'respond', status }
  }
}
