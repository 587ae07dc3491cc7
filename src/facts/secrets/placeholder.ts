import { entropy } from './entropy.ts'

/** A value that points at the secret instead of being it: a variable, a template, a reference into a vault. */
const SECRET_REFERENCE =
  /^(?:\$|%[A-Za-z_]|@[a-z]|<|\[|\{\{?|op:\/\/|vault:|ssm:|secretsmanager:|arn:aws:|projects\/|sops:|enc:|encrypted:|ENC\[|keyvault|azurekeyvault|doppler:|infisical:|env\(|env:|file:|ref:|secrets?[.:/]|process\.env|import\.meta|Deno\.env|os\.environ|System\.getenv|Bun\.env|\(\()/i

/** `${VAR}` and `{{ var }}` anywhere in the value. */
const INTERPOLATION = /\$\{[^}\n]{0,120}\}|\{\{[^}\n]{0,120}\}\}|\$\([^)\n]{0,120}\)|<[A-Za-z_ -]{2,60}>|\[[A-Za-z_ -]{2,60}\]/

/** Long enough to mean the same inside any word; several languages, since templates are translated. */
const ANYWHERE =
  /example|placeholder|change[-_ ]?(?:me|this|it)|replace|insert|dummy|fake|sample|redacted|your[-_ ]?|goes[-_ ]?here|put[-_ ]?(?:your|it|here)|enter[-_ ]?(?:your|a)|my[-_]?(?:super|secret|pass|key|token)|super[-_ ]?secret|very[-_ ]?secret|some[-_ ]?(?:secret|key|token|random)|secret[-_ ]?(?:here|value|goes|string)|key[-_ ]?here|token[-_ ]?here|abcdef|123456|foobar|foo[-_]bar|lorem|xxxx|\*\*\*|\.\.\.|…|update[-_ ]?(?:this|me)|generate[-_ ]?(?:a|with|me|one|your)|random[-_ ]?(?:string|secret|key|value)|not[-_ ]?(?:a|the|real|set|used)[-_ ]|undefined|secretkey|testkey|mocked?[-_]|[-_]mock|ejemplo|exemplo|exemple|esempio|beispiel|platzhalter|voorbeeld|przyk[lł]ad|пример|замени|ваш[-_ ]|示例|替换|你的|您的|ここに|あなたの|여기에|contoh|cambiar|cambia[-_]|cambiame|reemplaz|sostitui|inseris|remplac|troque|substitua|coloque|aendern|ändern|ersetz|vervang|degistir|değiştir|zmien|zmień|[-_]aqui|[-_]aquí|aqui[-_]|motdepasse|mot[-_]de[-_]passe|schluessel|schlüssel/gi

/** Too short to be searched inside words: only between separators. */
const AS_WORD =
  /(?:^|[-_. ])(?:my|the|a|an|test|tests|testing|demo|local|dev|todo|tbd|here|none|null|empty|value|foo|bar|baz|xxx|tu|tus|tua|tuo|sua|seu|ta|ton|votre|dein|deine|ihr|ihre|jouw|mijn|twoj|twój|anda|ici|qui|hier|clave|chave|chiave|cle|clé|secreto|segreto|secret|password|passwort|senha|contraseña|contrasena|string|real|build|ci|mock|stub|invalid|wrong|missing|abc|key)(?:$|[-_. ])/i

/** Digits or letters in the order of the keyboard or the alphabet. */
const SEQUENCE = /0123456|1234567|2345678|9876543|abcdefg|bcdefgh|ABCDEFG|qwertyu|a1b2c3|1a2b3c|deadbeef|cafebabe/i

/** Digits and letters taking turns: typed by hand. In 48 hexadecimal digits, sixteen in turns come by chance once in 1,600 times. */
const TURNS = /(?:[0-9]{2}[a-z]{2}){4,}|(?:[0-9]{2}[A-Z]{2}){4,}|(?:[0-9][a-z]){8,}|(?:[0-9][A-Z]){8,}/g

/** One character again and again. */
const REPEATED = /(.)\1{5,}/g

const MASKED_VALUE = /x{4}|X{4}|\*{3}|[.]{3}|_{4}/

/** True for a value that stands for a variable, a template or a place in a vault. */
export function isReference(value: string): boolean {
  return SECRET_REFERENCE.test(value) || INTERPOLATION.test(value)
}

/**
 * True for a value that only shows where a secret would go. `body` is the part after the format's prefix: words there
 * cannot come from a random generator.
 */
export function isPlaceholder(value: string, body = value): boolean {
  if (isReference(value)) return true
  if (body.length < 4) return true
  if (saysSo(body) || SEQUENCE.test(body) || MASKED_VALUE.test(body)) return true
  if (coversMost(TURNS, body, 0.75) || coversMost(REPEATED, body, 0.15)) return true
  if (/[-_. ]/.test(body) && holdsWord(body)) return true
  if (/^(?:test|demo|local|dev|secret|password|token|key|none|null|true|false|todo|changeit|admin)[0-9]{0,4}$/i.test(body)) return true
  return entropy(body) < Math.min(2.2, Math.log2(body.length) * 0.6)
}

/** One or two letters between separators come by chance in a long value of digits and of letters of both cases. */
function holdsWord(body: string): boolean {
  const word = AS_WORD.exec(body)?.[0].replace(/[-_. ]/g, '')
  if (word === undefined) return false
  return word.length > 2 || !(body.length >= 20 && /[0-9]/.test(body) && /[a-z]/.test(body) && /[A-Z]/.test(body))
}

/** A word of four letters comes by chance in a long key, hardly ever in one case as people write it. */
function saysSo(body: string): boolean {
  for (const [word] of body.matchAll(ANYWHERE)) if (word.length > 4 || /^(?:[^A-Z]*|[^a-z]*|[A-Z][^A-Z]*)$/.test(word)) return true
  return false
}

/** True when one match takes up this part of the value: a long random value holds short ones by chance. */
function coversMost(pattern: RegExp, body: string, part: number): boolean {
  for (const [match] of body.matchAll(pattern)) if (match.length >= body.length * part) return true
  return false
}

/** True for a run of words, which no generator of keys makes: letters and separators without digits in one case. */
export function isWordy(body: string): boolean {
  if (/^[a-z]+(?:[-_. :/][a-z]+)*$/.test(body) || /^[A-Z]+(?:[-_. :/][A-Z]+)*$/.test(body)) return true
  // camelCase and kebab-case identifiers with a short number at the end
  return /^[A-Za-z][A-Za-z]*(?:[-_.:/][A-Za-z]+)*[-_.]?v?[0-9]{0,3}$/.test(body) && entropy(body) < 4.2
}
