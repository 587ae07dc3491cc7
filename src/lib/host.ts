/** Hosts on which no production site of a customer lives, by kind; undefined for every other host. */
export function nonProductionHost(url: string): 'localhost' | 'LAN address' | 'tunnel' | 'preview domain' | undefined {
  const host = hostOf(url)
  if (!host) return undefined
  if (host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '0.0.0.0' || host === '::1' || host === '10.0.2.2')
    return 'localhost'
  if (/^(10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+)$/.test(host) || host.endsWith('.local') || host === 'host.docker.internal')
    return 'LAN address'
  if (/\.(ngrok\.io|ngrok\.app|ngrok\.dev|ngrok-free\.app|ngrok-free\.dev|loca\.lt|trycloudflare\.com|serveo\.net|exp\.direct)$/.test(host)) return 'tunnel'
  if (PREVIEW.some((domain) => host === domain || host.endsWith(`.${domain}`))) return 'preview domain'
  return undefined
}

/** Domains under which hosting platforms and builders put previews of everybody. */
const PREVIEW = [
  'vercel.app',
  'now.sh',
  'netlify.app',
  'lovable.app',
  'lovable.dev',
  'lovableproject.com',
  'gptengineer.run',
  'bolt.host',
  'bolt.new',
  'webcontainer.io',
  'webcontainer-api.io',
  'stackblitz.io',
  'replit.app',
  'replit.dev',
  'repl.co',
  'pages.dev',
  'onrender.com',
  'up.railway.app',
  'gitpod.io',
  'app.github.dev',
  'codesandbox.io',
  'csb.app',
  'v0.app',
  'vusercontent.net',
]

/** The host of a URL, wildcards included (`https://*.vercel.app/**` gives `*.vercel.app`); undefined when the text is no http(s) URL. */
export function hostOf(url: string): string | undefined {
  const host = /^https?:\/\/(?:[^\s/?#@]*@)?(\[[^\]\s]+\]|[^\s/?#:]+)/i.exec(url.trim())?.[1]?.toLowerCase()
  return host?.replace(/^\[|\]$/g, '')
}

/** True for allow-list entries that let in everybody's previews: `https://*.vercel.app/**`, `*.netlify.app`. */
export function isSharedWildcard(url: string): boolean {
  const host = hostOf(/^https?:/i.test(url) ? url : `https://${url}`) ?? ''
  if (host === '*' || host === '**') return true
  const rest = /^\*{1,2}\.(.+)$/.exec(host)?.[1]
  return rest !== undefined && PREVIEW.includes(rest)
}
