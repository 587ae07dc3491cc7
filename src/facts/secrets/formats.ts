import type { SecretLife } from './secret.ts'

/** A published format of a credential. The patterns follow gitleaks (MIT, config/gitleaks.toml) and secretlint (MIT, preset-recommend). */
export interface SecretFormat {
  readonly kind: string
  /** What a reader knows it as. */
  readonly label: string
  /** Literal beginnings (case-sensitive); one of them stands at the start of every match. */
  readonly anchors: readonly string[]
  /** Matched from the anchor on. Linear: no quantifier inside a quantified group. */
  readonly pattern: RegExp
  readonly life: SecretLife
  /** Characters of the value that only name its kind and are shown in reports. */
  readonly shown: number
  /** The value counts only when the text around it (the same line and the one before) says so. */
  readonly context?: RegExp
}

const END = '(?![A-Za-z0-9_-])'
const WORD_END = '(?![A-Za-z0-9_])'

function format(
  kind: string,
  label: string,
  anchors: string | readonly string[],
  rest: string,
  options: Partial<Pick<SecretFormat, 'life' | 'context'>> = {},
): SecretFormat {
  const list = typeof anchors === 'string' ? [anchors] : anchors
  const heads = list.map((a) => a.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')
  return {
    kind,
    label,
    anchors: list,
    pattern: new RegExp(`(?:${heads})${rest}`, 'y'),
    life: options.life ?? 'live',
    shown: Math.min(...list.map((a) => a.length)),
    ...(options.context ? { context: options.context } : {}),
  }
}

const HEX = '[a-f0-9]'
const B62 = '[A-Za-z0-9]'

/** Formats that begin with something only they have. JWTs, private keys and connection strings have rules of their own. */
export const SECRET_FORMATS: readonly SecretFormat[] = [
  // Payments
  format('stripe-live-secret', 'live Stripe secret key', ['sk_live_', 'rk_live_', 'sk_prod_', 'rk_prod_'], `[A-Za-z0-9_]{16,247}${END}`),
  format('stripe-test-secret', 'Stripe test secret key', ['sk_test_', 'rk_test_'], `[A-Za-z0-9_]{16,247}${END}`, { life: 'test' }),
  format('webhook-secret', 'webhook signing secret', 'whsec_', '[A-Za-z0-9+/]{24,128}={0,2}(?![A-Za-z0-9+/_=-])'),
  format('paddle-api-key', 'Paddle API key', 'pdl_live_apikey_', `[A-Za-z0-9_]{30,90}${END}`),
  format('paddle-test-api-key', 'Paddle sandbox API key', 'pdl_sdbx_apikey_', `[A-Za-z0-9_]{30,90}${END}`, { life: 'test' }),
  format('webhook-secret', 'Paddle webhook secret', 'pdl_ntfset_', `[A-Za-z0-9_+/]{30,90}${END}`),
  format('polar-access-token', 'Polar access token', ['polar_oat_', 'polar_pat_', 'polar_whs_'], `[A-Za-z0-9_-]{32,80}${END}`),
  format('square-secret', 'Square access token', ['EAAA', 'sq0atp-', 'sq0csp-'], `[A-Za-z0-9_-]{40,60}${END}`, { context: /square|sq0/i }),
  format('mercadopago-access-token', 'Mercado Pago access token', 'APP_USR-', `[0-9]{10,20}-[0-9]{4,8}-${HEX}{32}-[0-9]{5,14}${WORD_END}`),
  format('mercadopago-test-token', 'Mercado Pago test token', 'TEST-', `[0-9]{10,20}-[0-9]{4,8}-${HEX}{32}-[0-9]{5,14}${WORD_END}`, { life: 'test' }),
  format('asaas-api-key', 'Asaas API key', 'aact_prod_', '[A-Za-z0-9+/=:]{40,300}'),
  format('asaas-test-api-key', 'Asaas sandbox API key', 'aact_hmlg_', '[A-Za-z0-9+/=:]{40,300}', { life: 'test' }),
  format('flutterwave-secret', 'Flutterwave secret key', 'FLWSECK-', `${B62}{32,64}-[A-Za-z0-9-]{0,40}X${END}`),
  format('flutterwave-test-secret', 'Flutterwave test secret key', 'FLWSECK_TEST-', `${B62}{12,64}(?:-X)?${END}`, { life: 'test' }),
  format('xendit-secret', 'Xendit secret key', 'xnd_production_', `${B62}{40,90}${END}`),
  format('xendit-test-secret', 'Xendit test secret key', 'xnd_development_', `${B62}{40,90}${END}`, { life: 'test' }),
  format('midtrans-server-key', 'Midtrans server key', 'Mid-server-', `[A-Za-z0-9_-]{16,40}${END}`),
  format('midtrans-test-server-key', 'Midtrans sandbox server key', 'SB-Mid-server-', `[A-Za-z0-9_-]{16,40}${END}`, { life: 'test' }),
  format('mollie-api-key', 'Mollie API key', 'live_', `${B62}{30}${END}`, { context: /mollie/i }),
  format('mollie-test-api-key', 'Mollie test API key', 'test_', `${B62}{30}${END}`, { context: /mollie/i, life: 'test' }),
  format('shippo-token', 'Shippo live token', 'shippo_live_', `${HEX}{40}${END}`),
  format('easypost-token', 'EasyPost API key', 'EZAK', `${B62}{54}${END}`),
  format('shopify-token', 'Shopify access token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], `[a-fA-F0-9]{32,64}${END}`),
  // Platforms
  format('supabase-secret-key', 'Supabase secret key', 'sb_secret_', `[A-Za-z0-9_-]{20,64}${END}`),
  format('supabase-session', 'saved session of a signed-in account', 'base64-eyJhY2Nlc3NfdG9rZW4i', '[A-Za-z0-9+/_-]{200,8000}={0,2}'),
  format('supabase-access-token', 'Supabase access token', ['sbp_', 'sbp_v0_', 'sbp_oauth_'], `${HEX}{40}${END}`),
  format('vercel-token', 'Vercel token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], `${B62}{20,60}${END}`),
  format('netlify-token', 'Netlify token', 'nfp_', `${B62}{36,64}${END}`),
  format('cloudflare-token', 'Cloudflare token', ['cfk_', 'cfut_', 'cfat_'], `${B62}{40}${HEX}{8}${END}`),
  format('neon-api-key', 'Neon API key', 'napi_', `[a-z0-9]{40,80}${END}`),
  format('planetscale-token', 'PlanetScale token', ['pscale_tkn_', 'pscale_oauth_', 'pscale_pw_'], `[\\w=.-]{32,64}${END}`),
  format('doppler-token', 'Doppler token', ['dp.pt.', 'dp.st.'], `[A-Za-z0-9._-]{40,60}${END}`),
  format('digitalocean-token', 'DigitalOcean token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], `${HEX}{64}${END}`),
  format('heroku-api-key', 'Heroku API key', 'HRKU-AA', `[0-9a-zA-Z_-]{58}${END}`),
  format('fly-token', 'Fly.io token', ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], '[A-Za-z0-9+/_-]{43,400}={0,3}(?![A-Za-z0-9+/])'),
  format('pulumi-token', 'Pulumi token', 'pul-', `${HEX}{40}${END}`),
  format('vault-token', 'HashiCorp Vault token', ['hvs.', 'hvb.', 'hvr.'], `[A-Za-z0-9_-]{90,300}${END}`),
  format('onepassword-token', '1Password service account token', 'ops_eyJ', '[A-Za-z0-9+/=_-]{200,1280}'),
  format('inngest-signing-key', 'Inngest signing key', 'signkey-prod-', `${HEX}{32,128}${END}`),
  format('trigger-secret-key', 'Trigger.dev secret key', 'tr_prod_', `${B62}{16,40}${END}`),
  format('liveblocks-secret-key', 'Liveblocks secret key', 'sk_prod_', `[A-Za-z0-9_-]{40,80}${END}`),
  format('age-secret-key', 'age secret key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}(?![A-Z0-9])'),
  // Clouds
  format('aws-access-key-id', 'AWS access key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '[A-Z2-7]{16}(?![A-Za-z0-9])'),
  format('aws-bedrock-key', 'AWS Bedrock API key', 'ABSK', '[A-Za-z0-9+/]{109,269}={0,2}'),
  format('google-api-key', 'Google AI API key', 'AIza', `[A-Za-z0-9_-]{35}${END}`, {
    context: /gemini|gen(?:erative)?[-_ ]?(?:ai|language)|palm|vertex|google[-_ ]?ai(?![-_ ]?maps)/i,
  }),
  format('google-oauth-secret', 'Google OAuth client secret', 'GOCSPX-', `[A-Za-z0-9_-]{28}${END}`),
  format('google-refresh-token', 'Google refresh token', '1//0', `[A-Za-z0-9_-]{60,120}${END}`),
  format('azure-storage-key', 'Azure storage account key', 'AccountKey=', '[A-Za-z0-9+/]{86}=='),
  format('alibaba-access-key', 'Alibaba Cloud access key', 'LTAI', `${B62}{16,26}${END}`, { context: /ali(?:baba|yun|cloud)|oss|access/i }),
  // AI
  format('anthropic-api-key', 'Anthropic API key', ['sk-ant-'], `[A-Za-z0-9_-]{40,160}${END}`),
  format('openrouter-api-key', 'OpenRouter API key', 'sk-or-v1-', `${HEX}{64}${END}`),
  format('langfuse-secret-key', 'Langfuse secret key', 'sk-lf-', `[a-f0-9-]{36}${END}`),
  format('openai-api-key', 'OpenAI API key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], `[A-Za-z0-9_-]{40,200}${END}`),
  format('openai-api-key', 'OpenAI API key', 'sk-', `${B62}{20}T3BlbkFJ${B62}{20}${END}`),
  format('openai-api-key', 'OpenAI-style API key', 'sk-', `(?:${B62}{48}|${HEX}{32})${END}`),
  format('elevenlabs-api-key', 'ElevenLabs API key', 'sk_', `${HEX}{48}${END}`),
  format('groq-api-key', 'Groq API key', 'gsk_', `${B62}{52}${END}`),
  format('xai-api-key', 'xAI API key', 'xai-', `${B62}{70,90}${END}`),
  format('replicate-token', 'Replicate token', 'r8_', `${B62}{37}${END}`),
  format('perplexity-api-key', 'Perplexity API key', 'pplx-', `${B62}{48,56}${END}`),
  format('huggingface-token', 'Hugging Face token', ['hf_', 'api_org_'], `[A-Za-z]{34}${END}`),
  format('pinecone-api-key', 'Pinecone API key', 'pcsk_', `[A-Za-z0-9_]{60,90}${END}`),
  format('tavily-api-key', 'Tavily API key', 'tvly-', `[A-Za-z0-9-]{32,60}${END}`),
  format('firecrawl-api-key', 'Firecrawl API key', 'fc-', `${HEX}{32}${END}`),
  format('langsmith-api-key', 'LangSmith API key', ['lsv2_pt_', 'lsv2_sk_'], `${HEX}{32}_${HEX}{10}${END}`),
  // Mail and messages
  format('resend-api-key', 'Resend API key', 're_', `${B62}{6,10}_${B62}{20,32}${END}`),
  format('sendgrid-api-key', 'SendGrid API key', 'SG.', `[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{39,50}${END}`),
  format('brevo-api-key', 'Brevo API key', ['xkeysib-', 'xsmtpsib-'], `${HEX}{64}-${B62}{16}${END}`),
  format('mailgun-api-key', 'Mailgun API key', 'key-', `${HEX}{32}${END}`),
  format('twilio-api-key', 'Twilio API key', 'SK', `${HEX}{32}${END}`, { context: /twilio|TWILIO/ }),
  format('slack-token', 'Slack token', ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xapp-'], `[A-Za-z0-9-]{20,160}${END}`),
  format(
    'slack-webhook',
    'Slack webhook URL',
    ['https://hooks.slack.com/services/', 'https://hooks.slack.com/workflows/'],
    '[A-Za-z0-9+/]{40,60}(?![A-Za-z0-9+/])',
  ),
  format(
    'discord-webhook',
    'Discord webhook URL',
    [
      'https://discord.com/api/webhooks/',
      'https://discordapp.com/api/webhooks/',
      'https://ptb.discord.com/api/webhooks/',
      'https://canary.discord.com/api/webhooks/',
    ],
    `[0-9]{17,20}/[A-Za-z0-9_-]{60,80}${END}`,
  ),
  // Code hosts and registries
  format('github-token', 'GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `${B62}{36}${WORD_END}`),
  format('github-token', 'GitHub fine-grained token', 'github_pat_', `[A-Za-z0-9_]{82}${WORD_END}`),
  format(
    'gitlab-token',
    'GitLab token',
    ['glpat-', 'gldt-', 'glrt-', 'glft-', 'glptt-', 'glcbt-', 'gloas-', 'glagent-', 'glsoat-'],
    '[A-Za-z0-9_.-]{20,300}(?![A-Za-z0-9_-])',
  ),
  format('npm-token', 'npm token', 'npm_', `${B62}{36}${WORD_END}`),
  format('pypi-token', 'PyPI token', 'pypi-AgEIcHlwaS5vcmc', '[A-Za-z0-9_-]{50,400}'),
  format('rubygems-token', 'RubyGems token', 'rubygems_', `${HEX}{48}${END}`),
  format('docker-token', 'Docker Hub token', 'dckr_pat_', `[a-zA-Z0-9_-]{27}${END}`),
  // Tools
  format('linear-api-key', 'Linear API key', 'lin_api_', `${B62}{32,64}${END}`),
  format('notion-token', 'Notion token', 'ntn_', `[0-9]{11}${B62}{35}${END}`),
  format('notion-token', 'Notion token', 'secret_', `${B62}{43}${END}`),
  format('airtable-token', 'Airtable token', 'pat', `${B62}{14}\\.${HEX}{64}${END}`),
  format('figma-token', 'Figma token', ['figd_', 'figu_', 'figdr_'], `[A-Za-z0-9_-]{30,200}${END}`),
  format('databricks-token', 'Databricks token', 'dapi', `${HEX}{32}(?:-[0-9])?${END}`),
  format('postman-api-key', 'Postman API key', 'PMAK-', `${HEX}{24}-${HEX}{34}${END}`),
  format('grafana-token', 'Grafana token', ['glc_', 'glsa_'], '[A-Za-z0-9+/_]{32,400}={0,2}(?![A-Za-z0-9+/=_])'),
  format('sentry-token', 'Sentry auth token', ['sntryu_'], `${HEX}{64}${END}`),
  format('sentry-token', 'Sentry auth token', ['sntrys_eyJ'], '[A-Za-z0-9+/=_-]{60,600}'),
  format('posthog-personal-key', 'PostHog personal API key', 'phx_', `${B62}{30,60}${END}`),
  format('newrelic-key', 'New Relic user key', 'NRAK-', `${B62}{27}${END}`),
  format('tailscale-key', 'Tailscale key', ['tskey-auth-', 'tskey-api-', 'tskey-client-', 'tskey-scim-', 'tskey-webhook-'], `${B62}{8,40}-${B62}{16,60}${END}`),
]
