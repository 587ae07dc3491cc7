import { UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { callFunction } from '../operations.ts'
import type { Library } from './library.ts'

/** Runs a function now, inside something: a store for the request, a span, a scope. What it gives back is what the function gives. */
const RUN_NOW_CALL =
  /(?:^|\.)(?:run|exit|runInAsyncScope|runAndReturn|with|startSpan|startSpanManual|startInactiveSpan|startActiveSpan|startNewTrace|continueTrace|withScope|withIsolationScope|withActiveSpan|withSpan|withMonitor|suppressTracing|withServerActionInstrumentation|trace|traced|startSegment|startBackgroundTransaction)$/

/** Takes a handler and gives back one that does the same. */
const HANDLER_INSTRUMENTATION_CALL =
  /(?:^|\.)(?:bind|wrap|wrap\w{0,40}WithSentry|withSentry\w{0,40}|withAxiom\w{0,20}|withBetterStack\w{0,20}|withLogtail|withHighlight|withAppRouterHighlight|traceable|observe)$/

/** Libraries that watch what an application does, and Node's stores that follow a request. None of them changes what is done. */
export const tracing: Library = {
  packages: [
    'async_hooks',
    '@opentelemetry/',
    '@sentry/',
    '@vercel/otel',
    'dd-trace',
    'newrelic',
    'elastic-apm-node',
    'cls-hooked',
    'next-axiom',
    '@axiomhq/',
    '@logtail/next',
    '@highlight-run/next/',
    'langfuse',
    'langsmith/',
  ],
  call({ it, name, args, at }): Val | undefined {
    if (/^(?:captureException|captureMessage|setUser|addBreadcrumb|init|setTag)$/.test(name)) {
      it.emit({ kind: 'log', name, args }, at)
      return UNDEFINED
    }
    const handler = args.findIndex((a) => a.v === 'fn')
    const fn = args[handler]
    if (fn?.v !== 'fn') return undefined
    // a span or a scope is handed to the function; a store hands it what stands behind it
    if (RUN_NOW_CALL.test(name)) return callFunction(it, fn, handler + 1 < args.length ? args.slice(handler + 1) : [UNKNOWN], at)
    return HANDLER_INSTRUMENTATION_CALL.test(name) ? fn : undefined
  },
}

/** Libraries that run a function again when it fails, a few of them at a time, or not for too long; what it gives in the end is what the function gives. */
export const retries: Library = {
  packages: [
    'p-retry',
    'async-retry',
    'p-limit',
    'p-throttle',
    'p-queue',
    'p-timeout',
    'exponential-backoff',
    'ts-retry',
    'ts-retry-promise',
    'cockatiel',
    'async-mutex',
    'async-sema',
  ],
  call({ it, args, at }): Val | undefined {
    const fn = args.find((a) => a.v === 'fn')
    return fn?.v === 'fn' ? callFunction(it, fn, [UNKNOWN], at) : undefined
  },
}
