import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { verificationCode } from '../../src/checks/payments/verification-code.ts'

const PROCESSORS =
  'stripe paddle lemonsqueezy polar Razorpay Paystack Creem Square Dodo_Payments Asaas Xendit Flutterwave RevenueCat Mollie Mercado_Pago PayPal Midtrans Somebody'
    .split(' ')
    .map((name) => name.replace('_', ' '))

describe('code that verifies an event', () => {
  test.each(PROCESSORS)('is TypeScript that belongs into a handler: %s', (name) => {
    const [imports, body] = [/^import .*$/gm.exec(verificationCode(name, 'app/api/hook/route.ts'))?.[0] ?? '', verificationCode(name, 'app/api/hook/route.ts')]
    const code = `${imports}\nexport async function POST(request: Request) {\n${body.replace(imports, '')}\n}`
    const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ESNext } })
    expect(diagnostics?.map((d) => d.messageText)).toEqual([])
  })

  test('asks for what the processor sends', () => {
    expect(verificationCode('Razorpay', 'a.ts')).toContain("request.headers.get('x-razorpay-signature')")
    expect(verificationCode('Asaas', 'a.ts')).toContain("request.headers.get('asaas-access-token')")
    expect(verificationCode('Somebody', 'a.ts')).toContain("see the processor's documentation")
  })

  test('reads its settings from Deno in edge functions', () => {
    const code = verificationCode('Asaas', 'supabase/functions/asaas-webhook/index.ts')
    expect(code).toContain("Deno.env.get('ASAAS_WEBHOOK_TOKEN')")
    expect(code).not.toContain('process.env')
  })
})
