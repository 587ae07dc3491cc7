import { withCapital } from '../../../lib/with-capital.ts'

interface Signs {
  readonly packages: RegExp
  readonly hosts: RegExp
}

/** Processors whose events have no rules here: they are recognised, so that nobody takes silence for an answer. */
export const OTHER_PROCESSORS: Readonly<Record<string, Signs>> = {
  PayPal: { packages: /^@?paypal(\/|-|$)/, hosts: /^https:\/\/((api-m|api|www)\.(sandbox\.)?paypal\.com\/(v\d|cgi|sdk)|api-m\.(sandbox\.)?paypal\.com$)/ },
  Razorpay: { packages: /^(react-)?razorpay(\/|$)/, hosts: /^https:\/\/((api|checkout|pages)\.razorpay\.com|rzp\.io|razorpay\.me)(\/|$)/ },
  'Dodo Payments': { packages: /^(dodopayments|@dodopayments\/)/, hosts: /^https:\/\/(live|test)\.dodopayments\.com(\/|$)/ },
  RevenueCat: { packages: /^(react-native-purchases|@revenuecat\/)/, hosts: /^https:\/\/api\.revenuecat\.com(\/|$)/ },
  'Mercado Pago': { packages: /^(mercadopago|@mercadopago\/)/, hosts: /^https:\/\/(api\.mercadopago\.com(\/|$)|mpago\.la\/)/ },
  Paystack: { packages: /^(paystack|@paystack\/|react-paystack)/, hosts: /^https:\/\/(api\.paystack\.co(\/|$)|paystack\.(com|shop)\/(pay|buy)\b)/ },
  Flutterwave: { packages: /^flutterwave/, hosts: /^https:\/\/(api\.flutterwave\.com(\/|$)|flutterwave\.com\/pay\b)/ },
  Mollie: { packages: /^@mollie\//, hosts: /^https:\/\/api\.mollie\.com(\/|$)/ },
  Square: { packages: /^(square|react-square-web-payments-sdk)(\/|$)/, hosts: /^https:\/\/connect\.squareup(sandbox)?\.com(\/|$)/ },
  Braintree: { packages: /^braintree(-web)?(\/|$)/, hosts: /^https:\/\/payments\.(sandbox\.)?braintree-api\.com(\/|$)/ },
  Creem: { packages: /^(creem|@creem_?io\/|creem_io)(\/|$)?/, hosts: /^https:\/\/(test-)?api\.creem\.io(\/|$)/ },
  Asaas: { packages: /^asaas(\/|$)/, hosts: /^https:\/\/((api|www|sandbox|api-sandbox)\.)?asaas\.com\/(api|v3)/ },
  Iugu: { packages: /^iugu(\/|$)/, hosts: /^https:\/\/api\.iugu\.com(\/|$)/ },
  'Pagar.me': { packages: /^(pagarme|@pagarme\/)/, hosts: /^https:\/\/api\.pagar\.me(\/|$)/ },
  Moyasar: { packages: /^@?moyasar(\/|-|$)/, hosts: /^https:\/\/api\.moyasar\.com(\/|$)/ },
  Tap: { packages: /^@?tap-payments(\/|-|$)/, hosts: /^https:\/\/api\.tap\.company(\/|$)/ },
  Xendit: { packages: /^xendit-node(\/|$)/, hosts: /^https:\/\/api\.xendit\.co(\/|$)/ },
  Midtrans: { packages: /^midtrans-client(\/|$)/, hosts: /^https:\/\/(app|api)\.(sandbox\.)?midtrans\.com(\/|$)/ },
  Chargebee: { packages: /^@?chargebee(\/|-|$)/, hosts: /^https:\/\/[a-z0-9-]{1,60}\.chargebee\.com(\/|$)/ },
  Adyen: { packages: /^@adyen\//, hosts: /^https:\/\/[a-z0-9-]{1,60}\.adyen(payments)?\.com(\/|$)/ },
  Gumroad: { packages: /^gumroad(-|\/|$)/, hosts: /^https:\/\/(api\.|[a-z0-9-]{1,60}\.)?gumroad\.com\/(l|v2|checkout)\b/ },
  Whop: { packages: /^@whop\//, hosts: /^https:\/\/api\.whop\.com(\/|$)/ },
  Paymob: { packages: /^@?paymob(\/|-|$)/, hosts: /^https:\/\/([a-z]{2,20}\.)?paymob(solutions)?\.com(\/|$)/ },
  iyzico: { packages: /^iyzipay(-|\/|$)/, hosts: /^https:\/\/(sandbox-)?api\.iyzipay\.com(\/|$)/ },
  PayTR: { packages: /^paytr(-|\/|$)/, hosts: /^https:\/\/www\.paytr\.com(\/|$)/ },
  Cashfree: { packages: /^(cashfree|@cashfreepayments\/)/, hosts: /^https:\/\/(sandbox|api|test)\.cashfree\.com(\/|$)/ },
  PhonePe: { packages: /^(phonepe|pg-sdk-node)(-|\/|$)/, hosts: /^https:\/\/(api|api-preprod|mercury-t2)\.phonepe\.com(\/|$)/ },
  Paytm: { packages: /^paytm/, hosts: /^https:\/\/(securegw|securegw-stage|secure)\.paytm(payments)?\.(in|com)(\/|$)/ },
  Instamojo: { packages: /^instamojo/, hosts: /^https:\/\/(api|test|www)\.instamojo\.com(\/|$)/ },
  SSLCommerz: { packages: /^sslcommerz/, hosts: /^https:\/\/(sandbox|securepay)\.sslcommerz\.com(\/|$)/ },
  bKash: { packages: /^bkash/, hosts: /^https:\/\/(tokenized|checkout)\.(sandbox|pay)\.bka\.sh(\/|$)/ },
  'M-Pesa': { packages: /^(mpesa|@safaricom)/, hosts: /^https:\/\/(sandbox|api)\.safaricom\.co\.ke(\/|$)/ },
  Pesapal: { packages: /^pesapal/, hosts: /^https:\/\/(pay|cybqa)\.pesapal\.com(\/|$)/ },
  PayFast: { packages: /^@?payfast/, hosts: /^https:\/\/(www|sandbox|api)\.payfast\.(co\.za|io)(\/|$)/ },
  Yoco: { packages: /^yoco/, hosts: /^https:\/\/(payments|online)\.yoco\.com(\/|$)/ },
  Chapa: { packages: /^chapa(-|\/|$)/, hosts: /^https:\/\/api\.chapa\.co(\/|$)/ },
  AbacatePay: { packages: /^abacatepay/, hosts: /^https:\/\/api\.abacatepay\.com(\/|$)/ },
  PagSeguro: { packages: /^pagseguro/, hosts: /^https:\/\/((sandbox\.)?api\.(pagseguro|pagbank)\.com|ws\.(sandbox\.)?pagseguro\.uol\.com\.br)(\/|$)/ },
  Efí: { packages: /^(sdk-node-apis-efi|gn-api-sdk)/, hosts: /^https:\/\/(pix|pix-h|cobrancas|cobrancas-h)\.api\.(efipay|gerencianet)\.com\.br(\/|$)/ },
  OpenPix: { packages: /^(openpix|@woovi\/)/, hosts: /^https:\/\/api\.(openpix\.com\.br|openpix\.com|woovi\.com|woovi-sandbox\.com)(\/|$)/ },
  Wompi: { packages: /^wompi/, hosts: /^https:\/\/(sandbox|production)\.wompi\.co(\/|$)/ },
  Culqi: { packages: /^culqi/, hosts: /^https:\/\/(api|secure)\.culqi\.com(\/|$)/ },
  Conekta: { packages: /^conekta/, hosts: /^https:\/\/api\.conekta\.io(\/|$)/ },
  Omise: { packages: /^omise/, hosts: /^https:\/\/api\.omise\.co(\/|$)/ },
  PayMongo: { packages: /^paymongo/, hosts: /^https:\/\/api\.paymongo\.com(\/|$)/ },
  Billplz: { packages: /^billplz/, hosts: /^https:\/\/www\.billplz(-sandbox)?\.com(\/|$)/ },
  HitPay: { packages: /^hitpay/, hosts: /^https:\/\/api\.(sandbox\.)?hit-pay\.com(\/|$)/ },
  Casso: { packages: /^casso(-|\/|$)/, hosts: /^https:\/\/oauth\.casso\.vn(\/|$)/ },
  SePay: { packages: /^sepay/, hosts: /^https:\/\/(my|api|pay|qr)\.sepay\.vn(\/|$)/ },
  payOS: { packages: /^@payos\//, hosts: /^https:\/\/api-merchant\.payos\.vn(\/|$)/ },
  'Toss Payments': { packages: /^@tosspayments\//, hosts: /^https:\/\/api\.tosspayments\.com(\/|$)/ },
  PortOne: { packages: /^(iamport|@portone\/)/, hosts: /^https:\/\/api\.(iamport\.kr|portone\.io)(\/|$)/ },
  MyFatoorah: { packages: /^myfatoorah/, hosts: /^https:\/\/api(test)?(-[a-z]{2})?\.myfatoorah\.com(\/|$)/ },
  PayTabs: { packages: /^paytabs/, hosts: /^https:\/\/secure(-[a-z]{3,10})?\.paytabs\.(com|sa)(\/|$)/ },
  Tabby: { packages: /^@?tabby-(ai|sdk)/, hosts: /^https:\/\/api\.tabby\.ai(\/|$)/ },
  YooKassa: { packages: /^(yookassa|@a2seven\/yoo-checkout)/, hosts: /^https:\/\/api\.yookassa\.ru(\/|$)/ },
  LiqPay: { packages: /^liqpay/, hosts: /^https:\/\/www\.liqpay\.ua(\/|$)/ },
  GoCardless: { packages: /^gocardless/, hosts: /^https:\/\/api(-sandbox)?\.gocardless\.com(\/|$)/ },
  SumUp: { packages: /^@sumup\//, hosts: /^https:\/\/api\.sumup\.com(\/|$)/ },
  Klarna: { packages: /^@klarna\//, hosts: /^https:\/\/api(-[a-z]{2})?\.(playground\.)?klarna\.com(\/|$)/ },
  Przelewy24: { packages: /^(@ingameltd\/node-przelewy24|przelewy24|node-przelewy24)/, hosts: /^https:\/\/(secure|sandbox)\.przelewy24\.pl(\/|$)/ },
  'Coinbase Commerce': { packages: /^coinbase-commerce/, hosts: /^https:\/\/api\.commerce\.coinbase\.com(\/|$)/ },
  NOWPayments: { packages: /^@?nowpayments/, hosts: /^https:\/\/api(-sandbox)?\.nowpayments\.io(\/|$)/ },
}

/** An interface whose host is called after paying: `api-checkout.cinetpay.com`, `api.paychangu.com`. No list has all that take money in some country. */
const CALLED_AFTER_PAYING =
  /^https:\/\/(?:api|sandbox|checkout|secure|live|gateway|merchant|payments?|pay|app)[a-z0-9-]{0,20}\.(?:[a-z0-9-]{1,30}\.){0,2}?([a-z0-9-]{0,20}pay(?!load|roll|slip|stub)[a-z0-9-]{0,20})\.[a-z]{2,8}(?:\.[a-z]{2})?(?:\/|$)/
const NO_PROCESSOR = /^(?:(?:pre|re|under|over)pay|.{0,20}display|spay)/

/** The name that the host of an interface gives a processor which is on no list; undefined when it is called after something else. */
export function unlistedProcessor(address: string): string | undefined {
  const name = CALLED_AFTER_PAYING.exec(address)?.[1]
  return name === undefined || NO_PROCESSOR.test(name) || Object.values(OTHER_PROCESSORS).some((s) => s.hosts.test(address)) ? undefined : withCapital(name)
}

/** The processor that sends a header with its signature: `x-razorpay-signature`. */
export function processorOfHeader(header: string): string | undefined {
  const word = /^x-([a-z]{3,20})-(?:webhook-)?(?:hmac-)?signature$/i.exec(header)?.[1]?.toLowerCase()
  return word && Object.keys(OTHER_PROCESSORS).find((name) => name.toLowerCase().replace(/[^a-z]/g, '') === word)
}

/** Who answers behind the gateway of a builder, by the first part of the path: `resend` of `https://connector-gateway.lovable.dev/resend/emails`. */
export const serviceBehindGateway = (address: string): string | undefined => /^https:\/\/connector-gateway\.lovable\.dev\/(\w{1,30})/.exec(address)?.[1]

/** The processor at an address of its own interface; Stripe's is called without its library as well. */
export function processorAt(address: string): string | undefined {
  // asked of every text there is
  if (!address.startsWith('https://')) return undefined
  if (/^https:\/\/api\.stripe\.com(\/|$)/.test(address)) return 'Stripe'
  const behind = serviceBehindGateway(address)
  if (behind === 'stripe' || behind === 'paddle') return behind === 'stripe' ? 'Stripe' : 'Paddle'
  return Object.entries(OTHER_PROCESSORS).find(([, signs]) => signs.hosts.test(address))?.[0] ?? unlistedProcessor(address)
}
