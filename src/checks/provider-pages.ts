/**
 * Where a person replaces a secret, by its kind: the page of the provider's dashboard. Addresses from the providers' documentation (2026-11);
 * a kind that is missing has no single page.
 */
const PROVIDER_PAGES: Readonly<Record<string, string>> = {
  'supabase-service-role-jwt': 'https://supabase.com/dashboard/project/_/settings/api-keys',
  'supabase-secret-key': 'https://supabase.com/dashboard/project/_/settings/api-keys',
  'supabase-access-token': 'https://supabase.com/dashboard/account/tokens',
  'stripe-live-secret': 'https://dashboard.stripe.com/apikeys',
  'stripe-test-secret': 'https://dashboard.stripe.com/test/apikeys',
  'openai-api-key': 'https://platform.openai.com/api-keys',
  'anthropic-api-key': 'https://console.anthropic.com/settings/keys',
  'openrouter-api-key': 'https://openrouter.ai/settings/keys',
  'google-api-key': 'https://console.cloud.google.com/apis/credentials',
  'google-oauth-secret': 'https://console.cloud.google.com/apis/credentials',
  'aws-access-key-id': 'https://console.aws.amazon.com/iam/home#/security_credentials',
  'github-token': 'https://github.com/settings/tokens',
  'vercel-token': 'https://vercel.com/account/tokens',
  'netlify-token': 'https://app.netlify.com/user/applications',
  'cloudflare-token': 'https://dash.cloudflare.com/profile/api-tokens',
  'resend-api-key': 'https://resend.com/api-keys',
  'sendgrid-api-key': 'https://app.sendgrid.com/settings/api_keys',
  'twilio-api-key': 'https://console.twilio.com/',
  'slack-token': 'https://api.slack.com/apps',
  'groq-api-key': 'https://console.groq.com/keys',
  'replicate-token': 'https://replicate.com/account/api-tokens',
  'huggingface-token': 'https://huggingface.co/settings/tokens',
  'elevenlabs-api-key': 'https://elevenlabs.io/app/settings/api-keys',
}

const UNKNOWN_PAGE = 'the settings page of the service that issued it'

/** The page on which a secret of this kind is replaced: an address, or words where no single address is known. */
export const providerPage = (kind: string | undefined): string =>
  (kind !== undefined && Object.hasOwn(PROVIDER_PAGES, kind) && PROVIDER_PAGES[kind]) || UNKNOWN_PAGE
