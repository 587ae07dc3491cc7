interface Signs {
  readonly packages: RegExp
  readonly hosts: RegExp
}

/** Processors whose events have no rules here: they are recognised, so that nobody takes silence for an answer. */
export const OTHER_PROCESSORS: Readonly<Record<string, Signs>> = {
  PayPal: { packages: /^@?paypal(\/|-|$)/, hosts: /^https:\/\/((api-m|api|www)\.(sandbox\.)?paypal\.com\/(v\d|cgi|sdk)|api-m\.(sandbox\.)?paypal\.com$)/ },
  Razorpay: { packages: /^(react-)?razorpay(\/|$)/, hosts: /^https:\/\/(api|checkout)\.razorpay\.com(\/|$)/ },
  'Dodo Payments': { packages: /^(dodopayments|@dodopayments\/)/, hosts: /^https:\/\/(live|test)\.dodopayments\.com(\/|$)/ },
  RevenueCat: { packages: /^(react-native-purchases|@revenuecat\/)/, hosts: /^https:\/\/api\.revenuecat\.com(\/|$)/ },
  'Mercado Pago': { packages: /^(mercadopago|@mercadopago\/)/, hosts: /^https:\/\/api\.mercadopago\.com(\/|$)/ },
  Paystack: { packages: /^(paystack|@paystack\/|react-paystack)/, hosts: /^https:\/\/api\.paystack\.co(\/|$)/ },
  Flutterwave: { packages: /^flutterwave/, hosts: /^https:\/\/api\.flutterwave\.com(\/|$)/ },
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
}

/** The processor at an address of its own interface; Stripe's is called without its library as well. */
export function processorAt(address: string): string | undefined {
  if (/^https:\/\/api\.stripe\.com(\/|$)/.test(address)) return 'Stripe'
  return Object.entries(OTHER_PROCESSORS).find(([, signs]) => signs.hosts.test(address))?.[0]
}
