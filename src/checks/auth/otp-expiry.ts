import { lastPart } from '../../lib/last-part.ts'
import { setValue, swap } from '../../lib/rewrite.ts'
import type { AuthModel, AuthSetting, CodeUse } from '../../model/auth/auth.ts'
import { defineCheck, failed, type Issue, notApplicable, passed, unverified } from '../define-check.ts'

/** One hour: the longest life that the rule allows. */
const LIMIT = 3600

export default defineCheck({
  number: 11,
  id: 'auth/otp-expiry',
  category: 'Authentication',
  rule: 'Magic link and OTP expiry is configured (3600 seconds or less).',
  needs: ['auth'],
  doubtedBy: ['source-text', 'config'],
  run: ({ auth }) => {
    if (!auth.codes.length) return notApplicable('neither magic links nor one-time codes are used to sign in')
    const evidence = auth.codes.slice(0, 6).map((c) => `${c.how} (${c.channel === 'sms' ? 'phone' : 'e-mail'}) at ${c.at.path}:${c.at.line}`)
    const issues = [...auth.codes.flatMap(libraryIssue), ...auth.settings.filter(isTooLong).map(settingIssue), ...hostedIssues(auth)]
    if (issues.length) return failed(issues, evidence)
    const open = auth.codes.filter((c) => !settledBy(c, auth))
    if (!open.length)
      return passed(
        ...evidence,
        ...settings(auth).map((s) => `${s.at.path} ${s.section} ${keyOf(s)} = ${String(s.value)} (line ${s.at.line})`),
        ...hostedEvidence(auth),
      )
    const channels = new Set(open.map((c) => c.channel))
    const page = `https://supabase.com/dashboard/project/${auth.projectRef ?? '_'}/auth/providers`
    const supabase = open.some((c) => c.library === 'supabase')
    return unverified(
      supabase
        ? 'the lifetime of the code is a setting of the hosted platform, and nothing in the repository sets it'
        : 'the lifetime is computed and could not be followed',
      {
        where: supabase
          ? `Supabase dashboard → Authentication → Sign In / Providers (${page}): ${[...channels].map((c) => (c === 'sms' ? '“SMS OTP Expiry” under Phone' : '“Email OTP Expiration” under Email')).join(' and ')}`
          : open.map((c) => `${c.at.path}:${c.at.line}`).join(', '),
        attest: 'the number of seconds (3600 or less)',
      },
      evidence,
    )
  },
})

const keyOf = (s: AuthSetting): string => lastPart(s.key)
const settings = (auth: AuthModel): AuthSetting[] => auth.settings.filter((s) => /^auth\.(email|sms)\.otp_exp(iry)?$/.test(s.key))
const isTooLong = (s: AuthSetting): boolean => /^auth\.(email|sms)\.otp_exp(iry)?$/.test(s.key) && typeof s.value === 'number' && s.value > LIMIT

/** True when something that was seen sets the life of this code. */
function settledBy(c: CodeUse, auth: AuthModel): boolean {
  if (c.lifetime) return !('unknown' in c.lifetime)
  if (c.library !== 'supabase') return false
  const hosted = c.channel === 'sms' ? auth.hosted?.smsOtpExpiry : auth.hosted?.mailerOtpExpiry
  return hosted !== undefined || settings(auth).some((s) => s.key.startsWith(`auth.${c.channel}.`) && typeof s.value === 'number')
}

function settingIssue(s: AuthSetting): Issue {
  return {
    subject: `file ${s.at.path} ${s.section} ${keyOf(s)}`,
    severity: 'High',
    title: `One-time codes live ${duration(Number(s.value))}`,
    message: `${s.section} ${keyOf(s)} is ${String(s.value)} seconds (${duration(Number(s.value))}); at most ${LIMIT} are allowed.`,
    attack: 'A link in a forwarded, leaked or shared mailbox still signs in long after its owner forgot it, and a short code can be guessed for that long.',
    fix: {
      text: `One hour or less in \`${s.section}\`.`,
      language: 'toml',
      code: `${s.section}\n${keyOf(s)} = ${LIMIT}`,
      ...(s.ownLine ? { rewrite: { path: s.at.path, line: s.at.line, apply: setValue(keyOf(s), String(LIMIT)) } } : {}),
    },
    at: s.at,
    proof: 'inferred',
    aliases: ['CWE-613'],
  }
}

function libraryIssue(c: CodeUse): Issue[] {
  const life = c.lifetime
  if (c.library === 'own') return ownIssue(c)
  if (!life || !('seconds' in life) || life.seconds <= LIMIT) return []
  const byDefault = 'libraryDefault' in life
  const at = byDefault ? c.at : life.at
  const option = c.library === 'authjs' ? 'maxAge' : 'expiresIn'
  return [
    {
      subject: `file ${c.at.path}`,
      discriminator: c.how,
      severity: 'High',
      title: `Mailed links live ${duration(life.seconds)}`,
      message: byDefault
        ? `The ${c.how} sets no ${option}, so a mailed sign-in link lives ${duration(life.seconds)} (the library's default).`
        : `The ${c.how} sets ${option} to ${life.seconds} seconds (${duration(life.seconds)}); at most ${LIMIT} are allowed.`,
      attack: 'A link in a forwarded, leaked or shared mailbox still signs in long after its owner forgot it.',
      fix: {
        text: 'One hour or less.',
        language: 'ts',
        code: `${option}: 60 * 60, // seconds`,
        ...(byDefault
          ? {}
          : {
              rewrite: {
                path: at.path,
                line: at.line,
                apply: swap(new RegExp(`\\b(${option}:\\s{0,20})\\d[\\d_*]{0,20}(?: [\\d_*]{1,20}){0,8}(?= {0,20}(?:[,}]|//|$))`), '$160 * 60'),
              },
            }),
      },
      at,
      proof: 'inferred',
      aliases: ['CWE-613'],
    },
  ]
}

/** Codes and links that the application makes and keeps itself. */
function ownIssue(c: CodeUse): Issue[] {
  const life = c.lifetime
  const forever = life !== undefined && 'none' in life
  if (!life || (!forever && !('seconds' in life && life.seconds > LIMIT))) return []
  const long = 'seconds' in life ? duration(life.seconds) : ''
  return [
    {
      subject: `file ${c.at.path}`,
      discriminator: c.how,
      severity: 'High',
      title: forever ? 'One-time codes never expire' : `One-time codes live ${long}`,
      message: forever
        ? `The ${c.how} has no expiry, and nothing that reads it looks at its age: it signs in for ever.`
        : `The ${c.how} lives ${long}; at most ${LIMIT} seconds are allowed.`,
      attack: 'A link in a forwarded, leaked or shared mailbox still signs in long after its owner forgot it, and a short code can be guessed for that long.',
      fix: {
        text: 'Let it end within an hour (ten minutes for a short code), and refuse it after that and after its first use.',
        language: 'ts',
        code: OWN_CODE,
      },
      at: 'at' in life ? life.at : c.at,
      proof: 'inferred',
      aliases: ['CWE-613'],
    },
  ]
}

const OWN_CODE = `expires_at: new Date(Date.now() + 10 * 60 * 1000).toISOString(),
// when it is checked
if (row.used_at || new Date(row.expires_at) < new Date()) return new Response(null, { status: 401 })`

function hostedIssues(auth: AuthModel): Issue[] {
  const values = [
    ['email', 'mailer_otp_exp', auth.hosted?.mailerOtpExpiry],
    ['sms', 'sms_otp_exp', auth.hosted?.smsOtpExpiry],
  ] as const
  return values.flatMap(([channel, name, seconds]): Issue[] => {
    const use = auth.codes.find((c) => c.library === 'supabase' && c.channel === channel)
    if (!use || seconds === undefined || seconds <= LIMIT) return []
    return [
      {
        subject: `file supabase/config.toml [auth.${channel}] otp_expiry`,
        discriminator: 'hosted',
        severity: 'High',
        title: `One-time codes live ${duration(seconds)}`,
        message: `The hosted project's ${name} is ${seconds} seconds (read from the platform just now); at most ${LIMIT} are allowed.`,
        attack: 'A link in a forwarded, leaked or shared mailbox still signs in long after its owner forgot it, and a short code can be guessed for that long.',
        fix: {
          byHand: {
            what: `Set the lifetime of one-time codes to ${LIMIT} seconds or less`,
            where: `https://supabase.com/dashboard/project/${auth.projectRef ?? '_'}/auth/providers`,
          },
          text: `Set it to ${LIMIT} or less: https://supabase.com/dashboard/project/${auth.projectRef ?? '_'}/auth/providers`,
        },
        at: use.at,
        proof: 'executed',
        aliases: ['CWE-613'],
      },
    ]
  })
}

function hostedEvidence(auth: AuthModel): string[] {
  const { mailerOtpExpiry, smsOtpExpiry } = auth.hosted ?? {}
  return [
    ...(mailerOtpExpiry === undefined ? [] : [`hosted mailer_otp_exp: ${mailerOtpExpiry}`]),
    ...(smsOtpExpiry === undefined ? [] : [`hosted sms_otp_exp: ${smsOtpExpiry}`]),
  ]
}

function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} day${seconds === 86_400 ? '' : 's'}`
  if (seconds % 3600 === 0) return `${seconds / 3600} hours`
  return `${Math.round(seconds / 60)} minutes`
}
