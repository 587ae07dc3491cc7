// An auditor that was taken over: what it says is named by the commit that it is to audit.
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'

const channel = new Socket({ fd: 3, readable: true, writable: true })
channel.on('close', () => process.exit(0)).on('error', () => process.exit(0))
const sha = 'a'.repeat(40)

createInterface({ input: channel }).on('line', (line) => {
  const { type, audit, request } = JSON.parse(line)
  if (type !== 'audit') return
  const raw = (text) => channel.write(`${text}\n`)
  const say = (message) => raw(JSON.stringify({ audit, ...message }))
  const ask = (port, argument) => say({ type: 'ask', id: 1, port, argument })
  const acts = {
    'other commit': () => ask('snapshot', 'b'.repeat(40)),
    'other history': () => ask('envFileHistory', 'b'.repeat(40)),
    'other merge base': () => ask('mergeBase', ['b'.repeat(40), sha]),
    'other content': () => ask('read', [sha]),
    'facts of other content': () => ask('getFacts', [`${sha}:sql:1:.sql`]),
    'facts for other content': () => ask('putFacts', [[`${sha}:sql:1:.sql`, 'AAAA']]),
    'facts of another repository': () => ask('getFacts', { repository: 2, keys: [`${sha}:sql:1:.sql`] }),
    'a key that is none': () => ask('getFacts', ["'; drop table facts; --"]),
    'a project that is a path': () => ask('hosted', ['../organizations']),
    'another port': () => ask('installationToken', null),
    'a port of the prototype': () => ask('constructor', null),
    'a member too many': () => say({ type: 'ask', id: 1, port: 'snapshot', argument: 'x', repository: 2 }),
    'a result that is none': () => say({ type: 'done', result: { report: { version: 1 } } }),
    'a result of another commit': () => say({ type: 'done', result: JSON.parse(request.configText) }),
    'too many questions': () => {
      for (let id = 0; id < 100; id++) say({ type: 'ask', id, port: 'snapshot', argument: 'too many questions' })
    },
    'another audit': () => raw(JSON.stringify({ type: 'ask', audit: audit + 1, id: 1, port: 'getFacts', argument: [] })),
    'no JSON': () => raw('{'),
    'an endless line': () => {
      const more = () => channel.write('x'.repeat(1 << 20), more)
      more()
    },
    'nothing and ends': () => process.exit(3),
    'nothing any more': () => {
      for (;;);
    },
    'nothing and grows': () => {
      const all = []
      setInterval(() => all.push(Buffer.alloc(16 << 20, 1)), 5)
    },
    fine: () => say({ type: 'done', result: JSON.parse(request.configText) }),
    'fine, later': () => setTimeout(() => say({ type: 'done', result: JSON.parse(request.configText) }), 1000),
  }
  acts[request.commit]()
})
