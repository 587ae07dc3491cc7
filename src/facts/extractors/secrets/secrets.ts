import type { Extractor } from '../../facts.ts'
import type { SecretFact } from '../../kinds.ts'
import { findSecrets, SECRETS_VERSION } from '../../secrets/detect.ts'
import { hashValue } from '../../secrets/hash.ts'

/** Formats that hold no text of their own, and lock files, whose only long strings are checksums. */
const NOT_READ = [
  'png,jpg,jpeg,gif,webp,avif,ico,icns,bmp,tif,tiff,svg,psd,ai,sketch,fig,heic',
  'woff,woff2,ttf,otf,eot,mp3,mp4,m4a,wav,ogg,webm,mov,avi,pdf,zip,gz,tgz,tar,bz2,xz,7z,rar,jar,war,apk,aab,ipa',
  'exe,dll,so,dylib,a,o,class,pyc,wasm,node,lockb,lock,sum,db,sqlite,sqlite3,parquet,bin,dat,onnx,pt,h5,glb,gltf,riv,map,snap,csv,tsv,po,pot,mo,geojson,ipynb',
]
  .join(',')
  .split(',')
  .map((e) => `*.${e}`)

const MAX_SECRETS = 300

/** Secrets by their format, or by the name they are assigned to, in any text file. */
export const secrets: Extractor<'secrets'> = {
  kind: 'secrets',
  version: `5.${SECRETS_VERSION}`,
  paths: [`**/!(${[...NOT_READ, 'package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml'].join('|')})`],
  maxBytes: 3 << 20,
  extract(text) {
    const found: SecretFact[] = []
    let line = 1
    let lineStart = 0
    for (const span of findSecrets(text).slice(0, MAX_SECRETS)) {
      for (let next = text.indexOf('\n', lineStart); next !== -1 && next < span.start; next = text.indexOf('\n', lineStart)) {
        line++
        lineStart = next + 1
      }
      const value = text.slice(span.start, span.end)
      const first = value.split('\n', 1)[0] as string
      found.push({
        kind: span.kind,
        line,
        column: span.start - lineStart + 1,
        endColumn: span.start - lineStart + 1 + first.length,
        redacted: span.redacted,
        length: value.length,
        hash: hashValue(value),
        live: span.live,
        ...(span.name ? { name: span.name } : {}),
        ...(span.claims ? { claims: span.claims } : {}),
      })
    }
    return { facts: { secrets: found }, problems: [] }
  },
}
