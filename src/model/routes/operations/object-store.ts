import type { Effect, Value } from '../../behaviour/types.ts'

type FileEffect = Extract<Effect, { name: string }>

const DELETES = /(?:^|\.)(?:deleteObjects?|removeObjects?)(?:\.promise)?$/
const OBJECT_UPLOAD_CALL = /(?:^|\.)(?:createPresignedPost|presignedPutObject|presignedPostPolicy|putObject|fPutObject|Upload\.done)(?:\.promise)?$/
const SIGNS = /(?:^|\.)(?:getSignedUrl(?:Promise)?|presignedUrl)$/

/** What a call does to a file in an object store (S3 and what speaks its language): by its name, or by the command that is sent. */
export function objectStoreWork({ name, args }: FileEffect): 'delete' | 'write' | 'link' | undefined {
  const command = args.find((a): a is Extract<Value, { v: 'call' }> => a.v === 'call' && /^\w{3,40}Command$/.test(a.name))?.name
  if (/(?:^|\.)send$/.test(name)) {
    if (command === undefined) return undefined
    return /^Delete(?:Object|Objects)Command$/.test(command)
      ? 'delete'
      : /^(?:PutObject|CopyObject|CreateMultipartUpload|UploadPart)Command$/.test(command)
        ? 'write'
        : undefined
  }
  if (DELETES.test(name)) return 'delete'
  if (OBJECT_UPLOAD_CALL.test(name)) return 'write'
  if (/(?:^|\.)presignedGetObject$/.test(name)) return 'link'
  if (!SIGNS.test(name)) return undefined
  // the older client names what is signed in words: `s3.getSignedUrl('getObject', …)`
  const reads =
    command !== undefined ? /^(?:Get|Head)Object/.test(command) : args.some((a) => a.v === 'const' && /^(?:get|head)Object$|^GET$/.test(String(a.value)))
  return reads ? 'link' : 'write'
}

/** The name under which a file is kept: `{ Bucket, Key }` of a command, or the second word of a call. */
export function objectKey({ args }: FileEffect): Value | undefined {
  for (const a of args) {
    const options = a.v === 'call' ? a.args[0] : a
    if (options?.v === 'object' && options.props.Key) return options.props.Key
  }
  return args[1]
}

/** The file that a copy is made of: `new CopyObjectCommand({ CopySource: `${bucket}/${key}` })`. */
export function copiedFrom({ name, args }: FileEffect): Value | undefined {
  const command = args.find((a): a is Extract<Value, { v: 'call' }> => a.v === 'call' && a.name === 'CopyObjectCommand')
  const options = command ? command.args[0] : /(?:^|\.)copyObject(?:\.promise)?$/.test(name) ? args[0] : undefined
  return options?.v === 'object' ? options.props.CopySource : undefined
}
