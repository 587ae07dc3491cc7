import { createHash } from 'node:crypto'
import { escapeHtml } from '../../lib/escape-html.ts'

const STYLE =
  ':root{color-scheme:light dark}body{font:1.05rem/1.55 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.15rem;margin:1.8rem 0 .4rem}code{overflow-wrap:anywhere}label{display:block;margin:.8rem 0 .2rem}input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}button{font:inherit;padding:.5rem 1rem;margin-top:.9rem;cursor:pointer}.warn{border-left:.3rem solid #c60;padding:.1rem 0 .1rem .8rem}'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Headers of every answer. Nothing is loaded, run, framed or kept; forms lead here and to GitHub. */
export function pageHeaders(webUrl: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${new URL(webUrl).origin}; base-uri 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** A whole page; `body` is HTML of ours. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`
}

/** A page with one sentence. */
export function messagePage(title: string, sentence: string): string {
  return page(title, `<p>${escapeHtml(sentence)}</p>`)
}

/** What the registration page shows. */
export interface RegisterView {
  /** Where GitHub will send events. */
  readonly address: string
  readonly organization: string
  /** `WEBHOOK_PROXY_URL` decides the address. */
  readonly fixed: boolean
  /** GitHub cannot reach the address, so nothing can be registered yet. */
  readonly unreachable: boolean
  /** What was entered and could not be used. */
  readonly problem?: string
  readonly webhookPath: string
  /** GitHub's page that takes the manifest, state included. */
  readonly action: string
  /** The manifest as JSON. */
  readonly manifest: string
}

/** The page that registers the App. */
export function registerPage(view: RegisterView): string {
  return page(
    'Set up Prelaunch',
    `<p>Three steps connect Prelaunch to GitHub. You need a GitHub account, and about two minutes.</p>
<h2>1. Where GitHub reaches Prelaunch</h2>
${addressPart(view)}
<h2>2. Register the App</h2>
${
  view.unreachable
    ? '<p>This is possible when step 1 names a public address.</p>'
    : `<p>GitHub shows the name and creates the App with the permissions that Prelaunch needs, and no others. Sign in to GitHub first. You can change the name.</p>
<form method="post" action="${escapeHtml(view.action)}"><input type="hidden" name="manifest" value="${escapeHtml(view.manifest)}"><button type="submit">Register on GitHub</button></form>`
}
<h2>3. Come back</h2>
<p>GitHub sends you back here. Prelaunch stores the App’s key in its data folder and starts.</p>`,
  )
}

function addressPart({ address, organization, fixed, unreachable, problem, webhookPath }: RegisterView): string {
  const said = `${problem ? `<p class="warn">${escapeHtml(problem)}</p>` : ''}`
  const why = unreachable
    ? `<div class="warn"><p>GitHub cannot reach <code>${escapeHtml(address)}</code>. It needs a public address for this machine. For a trial, use one of these:</p>
<ul><li><b>A tunnel</b> (cloudflared, ngrok): start it for this port and enter the address that it prints.</li>
<li><b>smee.io</b>: open <code>https://smee.io/new</code>, and start Prelaunch again with <code>WEBHOOK_PROXY_URL</code> set to the channel’s address. Everybody who knows that address can read the events, so use it for trials only.</li></ul></div>`
    : `<p>GitHub will send events to <code>${escapeHtml(fixed ? address : `${address}${webhookPath}`)}</code>.</p>`
  return `${said}${why}
<form method="post" action="/setup">${fixed ? '' : `<label for="address">Public address</label><input id="address" name="address" type="url" value="${escapeHtml(address)}" maxlength="300" required>`}
<label for="organization">Organization that will own the App (empty for your own account)</label><input id="organization" name="organization" value="${escapeHtml(organization)}" maxlength="39">
<button type="submit">${fixed ? 'Use this organization' : 'Use this address'}</button></form>`
}

/** What is left to do after the registration. */
export function registeredPage(view: { readonly page: string; readonly file: string; readonly proxy?: string; readonly target: string }): string {
  return page(
    'The App is registered',
    `<p>Prelaunch starts now. What is left to do:</p>
<ol><li><a href="${escapeHtml(`${view.page}/installations/new`)}">Install the App</a> on a repository. Its default branch is audited at once.</li>
<li>Make it block merges: in the repository, <i>Settings → Rules → Rulesets → Require status checks to pass</i>, add <code>Prelaunch audit</code> with the App as its source.</li>
${view.proxy ? `<li>Forward events while you try it: <code>npx smee-client --url ${escapeHtml(view.proxy)} --target ${escapeHtml(view.target)}</code></li>` : ''}
<li>Keep a copy of <code>${escapeHtml(view.file)}</code>. It holds the App’s key, and only this user may read it. The next start reads it; <code>docker run --env-file</code> can read it as well.</li></ol>`,
  )
}
