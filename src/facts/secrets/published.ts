import { hashValue } from './hash.ts'

/** Values that their makers publish for local work, by identity hash. */
const PUBLISHED_SECRET_HASHES = new Set([
  // Supabase command line: the secret key and the S3 keys of the local stack
  '9dded54ba4450ffc1230ac292800fdba',
  '8ceaf2dcda2e5f8c0bbd89a63246d6ae',
  '3571ca38d7a41af49ea95f498034c7b1',
  // Stripe's documentation: the shared test keys of its examples
  'cbc82236f7d5a504fe3a74690478cccc',
  'f6f4201533dd47a4dd4352bcb42648a2',
  '91e1065ac6f9467dd8ed14e09a8fe8ab',
  // Azurite: the storage account of the emulator
  '3936acfbb62ec10d2cbc9c3f6d7a6a7e',
])

/** True for a demo value that anyone finds in the platform's own documentation. */
export function isPublished(value: string): boolean {
  return PUBLISHED_SECRET_HASHES.has(hashValue(value))
}
