import type { Fix } from '../../define-check.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

/** What is said of a payment whose proof is not tied to what it settles. */
export function unboundProofWords(place: string, b: OwnershipBreach): { title: string; message: string; attack: string; fix: Fix } {
  return {
    title: b.ownerColumn ? 'The proof of a payment does not say what was bought' : 'The proof of a payment settles any row',
    message: `${place} ${b.what}. The signature that is checked covers ${b.signed} only, and nothing relates those to ${b.by}.`,
    attack: b.ownerColumn
      ? `Somebody pays for the cheapest thing there is and sends the proof of it with another ${b.by}: that is what he gets.`
      : `Somebody pays a small order and sends the proof of it with the id of a large one as ${b.by}: that one counts as paid. The same proof serves again and again.`,
    fix: {
      text: b.ownerColumn
        ? 'Store what is bought with the id of the order when the payment is begun, and read it from the row of the signed order id.'
        : 'Store the id of the order at the payment processor when the payment is begun, and find the row by the signed one.',
      language: 'ts',
      code: finding(b.library),
    },
  }
}

function finding(library: string | undefined): string {
  switch (library) {
    case 'prisma':
      return 'where: { razorpayOrderId: razorpay_order_id }'
    case 'mongoose':
      return '{ razorpayOrderId: razorpay_order_id }'
    case 'drizzle':
      return '.where(eq(table.razorpayOrderId, razorpay_order_id))'
    case 'supabase':
      return ".eq('razorpay_order_id', razorpay_order_id)"
    default:
      return 'where razorpay_order_id = $1'
  }
}
