const layers = ['lib', 'lexicon', 'source', 'config', 'facts', 'database', 'model', 'checks', 'findings', 'report', 'annotations']

/** One rule a layer: it may import itself and what stands left of it. */
const leftward = layers.slice(0, -1).map((layer, i) => ({
  name: `${layer}-imports-left`,
  comment: `Imports point left (${layers.join(' < ')}): ${layer} must not know what is built on it.`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${layers.slice(i + 1).join('|')})/` },
}))

/** The process that holds keys, tokens and the store: everything of the App but what runs in the auditor, and the unpacker. */
const broker = {
  path: '^src/(main\\.ts$|app\\.ts$|app/|store/|platform/(github|supabase|isolated)/)',
  pathNot: [
    '^src/app/audit-thread/(worker|audit-threads)\\.ts$',
    '^src/app/auditor/auditor-process\\.ts$',
    '^src/platform/isolated/(unpacker|database-process)\\.ts$',
    // reads `app.yml`, which comes with the program
    '^src/app/setup/manifest\\.ts$',
  ],
}

const pure = '^src/(lexicon|facts|model|checks|findings|report|annotations)/'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...leftward,
    {
      name: 'ports-stay-outside',
      comment: 'platform and store implement ports; only the entries name them, so that the audit runs anywhere.',
      severity: 'error',
      from: { path: '^src/(lib|lexicon|source|config|facts|database|model|checks|findings|report|annotations)/|^src/audit\\.ts$' },
      to: { path: '^src/(platform|store)/' },
    },
    {
      name: 'checks-are-pure',
      comment: 'A check imports define-check, model types, the lexicon and lib only: what it needs to know is in the model.',
      severity: 'error',
      from: { path: '^src/checks/[a-z]+/.+\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(checks|model|database|lexicon|lib)/' },
    },
    {
      name: 'only-javascript-knows-typescript',
      comment: 'ts-morph is slow to load and large; one extractor hides it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/facts/extractors/javascript/' },
      to: { path: 'node_modules/ts-morph' },
    },
    {
      name: 'only-github-knows-octokit',
      comment: 'Every call to GitHub is counted, retried and limited in one place.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(platform/github/|app\\.ts$|app/|main\\.ts$)' },
      to: { path: 'node_modules/(@octokit/|probot)' },
    },
    {
      name: 'broker-reads-no-repository',
      comment: 'Whoever holds the keys must not parse what a stranger wrote: the auditor does. (What is loaded along the way: test/app/isolation.test.ts.)',
      severity: 'error',
      from: broker,
      to: {
        path: [
          '^src/(facts|database|findings)/',
          '^src/config/parse-config\\.ts$',
          '^src/audit\\.ts$',
          '^src/model/(?!auth/project-refs\\.ts$)',
          '^src/checks/(?!(index|outcome)\\.ts$)',
          '^src/platform/local/(?!git)',
          '^src/app/audit-thread/(worker|audit-threads)\\.ts$',
          '^src/app/auditor/auditor-process\\.ts$',
          '^src/platform/isolated/(unpacker|database-process)\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'broker-has-no-parsers',
      comment: 'The same for packages. The embedded store is PGlite too; it runs our SQL only.',
      severity: 'error',
      from: { path: broker.path, pathNot: [...broker.pathNot, '^src/store/'] },
      to: {
        path: 'node_modules/(yaml|ts-morph|typescript|tar-stream|nanotar|libpg-query|@electric-sql/|jsonc-parser|smol-toml|@yarnpkg/|@hyrious/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-io-in-the-middle',
      comment: 'Facts, model, checks, findings, report and annotations are functions of their input.',
      severity: 'error',
      from: { path: pure },
      to: { path: '^(node:)?(fs|fs/promises|child_process|net|http|https|worker_threads|os|dns)$', dependencyTypes: ['core'] },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle means that two files are one. Types count: what two files need of each other belongs into a third.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true },
    },
    { name: 'resolvable', comment: 'Every import exists.', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      mainFields: ['main', 'types', 'typings'],
    },
    exclude: { path: '^(dist|test/data)/' },
  },
}
