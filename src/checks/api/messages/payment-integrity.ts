import { roleCode } from '../remediation/code-conventions.ts'
import { refusal } from '../remediation/refusal-response.ts'
import type { OwnershipBreach, TermOfSale } from '../shared/violation.ts'
import type { WordsOfKinds } from './types.ts'
import { unboundProofWords } from './unbound-signature.ts'

/** What is said where somebody acts at the payment processor for another customer, or where a payment settles what it was not made for. */
export const PAYMENT_WORDS = {
  payment({ b, how, who, place }) {
    return {
      title: 'The payment object is chosen by the request',
      message: `${place} calls ${b.verb} on ${b.by}; nothing compares its customer with the caller${who}.`,
      attack: `Any signed-in user who learns another customer's id changes that customer's payments.`,
      fix: {
        text: "Load the caller's own customer or subscription id from the database and use that.",
        language: 'ts',
        code: ownCustomer(how.library, b),
      },
    }
  },
  'processors-own'({ route, b, who, place }) {
    return {
      title: 'The payment object is chosen by the request',
      message: `${place} calls ${b.verb} on ${b.by} with the application's key; nothing looks it up among the caller's own before${who}.`,
      attack: `Any signed-in user who learns the id of somebody else's payment or subscription cancels or changes it.`,
      fix: {
        text: 'Look the id up among the rows of the caller before the processor is asked, and answer 404 when it is not there.',
        language: 'ts',
        code: `const own = await paymentOf(${b.callerAs ?? 'user.id'}, id) // stands for the look-up of the id among the rows of the caller\nif (!own) ${refusal(route, 404)}`,
      },
    }
  },
  'account-wide'({ route, b, who, place }) {
    return {
      title: 'Every signed-in user sees the account at the payment processor',
      message: `${place} ${b.what} with the application's key. The handler asks only whether somebody is signed in${who}.`,
      attack: 'Any signed-in user calls it and reads what the application takes in and whom it pays.',
      fix: { text: 'Require an admin role.', language: 'ts', code: roleCode(route, b.callerAs) },
    }
  },
  'payers-row'({ b, who, place }) {
    return {
      title: 'Somebody else’s customer at the payment processor',
      message: `${place} calls ${b.verb} with the customer of the row of ${b.table} that ${b.by} names. Its policies show such rows to others than their owner, and nothing compares the owner with the caller${who}.`,
      attack: `Any signed-in user sends the id of a row that others may see and acts at the payment processor as whoever pays for it.`,
      fix: {
        text: `Refuse when the row is not the caller's (column ${b.ownerColumn}); that it can be read says nothing of that.`,
        language: 'ts',
        code: `.eq('${b.ownerColumn}', ${b.callerAs})`,
      },
    }
  },
  'claimed-payment'({ route, b, who, place }) {
    return {
      title: 'A payment that the request names is booked on the caller',
      message: b.settled
        ? `${place} ${b.verb} ${b.table} as soon as the payment processor says that the payment which ${b.by} names is paid. Nothing relates that payment to the caller${who}, or to the row: not its customer, not its metadata, not an id that was stored when it was begun.`
        : `${place} ${b.verb} ${b.table} with what the payment processor says about ${b.by}. Nothing compares its customer or its metadata with the caller${who}.`,
      attack: `Any signed-in user sends the id of a payment that somebody else made, or that he has used for another account or made for something cheaper, and has what he names.`,
      fix: {
        text: 'Put the user and what is paid for into the metadata when the checkout is made, refuse a payment that names another of either, and let none be used twice; or leave the booking to the webhook.',
        language: 'ts',
        code: `// session: what the processor says; orderId: the row that is booked\nif (session.metadata?.user_id !== ${b.callerAs ?? 'user.id'} || session.metadata?.order_id !== orderId) {\n  ${refusal(route, 403)}\n}`,
      },
    }
  },
  'unbound-proof'({ b, place }) {
    return unboundProofWords(place, b)
  },
  price({ b, place }) {
    return {
      title: 'The browser says what the purchase costs',
      message: `${place} calls ${b.verb} with an amount that comes from ${b.by}, and the request also says what is bought. Nothing compares the amount with what the thing costs.`,
      attack: 'Any signed-in user sends the request with another amount, pays next to nothing, and the payment counts as one for the thing itself.',
      fix: {
        text: 'Look the price up on the server by the id of what is bought, and calculate the amount from that.',
        language: 'ts',
        code: 'const price = await priceOf(productId) // stands for the look-up of the price where it is kept\nconst amount = Math.round(price * 100)',
      },
    }
  },
  terms({ b, place }) {
    const { title, effect, text, code } = TERMS_OF_SALE[b.term ?? 'discount']
    return {
      title,
      message: `${place} ${b.what}. Nothing compares it with what the application itself says.`,
      attack: `Any signed-in user sends the request of the page with another value and ${effect}.`,
      fix: { text, language: 'ts', code },
    }
  },
  'email-lookup'({ b, how, place }) {
    return {
      title: 'The customer is looked up by e-mail address',
      message: `${place}: ${b.what}. An e-mail address is no identity: the user can change it, and the processor may hold several customers with it.`,
      attack: 'A user who takes over or registers an address gets the customer object, invoices and portal of the person who paid with it.',
      fix: {
        text: "Store the processor's customer id with the user when it is created, look it up by the user's id, and make a new customer where there is none instead of taking the one that has the address.",
        language: 'ts',
        code: ownCustomer(how.library, b),
      },
    }
  },
} satisfies WordsOfKinds

/** What is said of a condition of the sale that the request sets, by which one it is. */
const TERMS_OF_SALE = {
  discount: {
    title: 'The browser says what is taken off the price',
    effect: 'has it for next to nothing',
    text: 'Look the discount up on the server by the code that the customer typed, and ask there whether it is valid.',
    code: 'const discount = await discountFor(code) // stands for the look-up of the code where discounts are kept; nothing when it is not valid',
  },
  trial: {
    title: 'The browser says how long nothing is paid',
    effect: 'uses what is sold for years before the first payment',
    text: 'Say on the server how long the trial is, and ask whether this account has had one.',
    code: 'subscription_data: { trial_period_days: 14 } // as many days as you offer',
  },
  payee: {
    title: 'The browser says who gets the money',
    effect: 'names an account of his own at the processor: what he pays for the purchase comes back to him, and the order counts as paid',
    text: 'Load the account that is paid on the server, from the row of the seller whose thing is bought.',
    code: 'const { payoutAccount } = await sellerOf(productId) // stands for the look-up of the seller’s account by what is bought',
  },
} satisfies Readonly<Record<TermOfSale, { title: string; effect: string; text: string; code: string }>>

/** The customer's id out of the caller's own row, in the words of the library that the application uses. */
function ownCustomer(library: string | undefined, b: OwnershipBreach): string {
  const caller = b.callerAs ?? 'user.id'
  switch (library) {
    case 'prisma':
      return `const own = await prisma.user.findUnique({ where: { id: ${caller} }, select: { stripeCustomerId: true } })`
    case 'drizzle':
      return `const [own] = await db.select().from(users).where(eq(users.id, ${caller}))\n// own.stripeCustomerId`
    case 'mongoose':
      return `const own = await User.findById(${caller})\n// own.stripeCustomerId`
    case 'pg':
      return `// parameters: [${caller}]\nconst own = 'select stripe_customer_id from users where id = $1'`
    default:
      return `const { data: own } = await supabase.from('profiles').select('stripe_customer_id').eq('id', ${caller}).single()`
  }
}
