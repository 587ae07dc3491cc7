/**
 * What one JavaScript or TypeScript file says, lowered to a small tree that is the same for every dialect: no types, no
 * comments, no trivia, no parser classes. It is JSON, so it can be cached and crosses threads.
 *
 * Conventions. `k` is the kind of a node, `l` its first line and `e` its last (1-based; `e` is absent when equal to `l`).
 * Parentheses, `as`, `satisfies`, `!` and type arguments are gone. String literals that hold a secret are redacted.
 * `mem` and method `call` nodes have the line of the name, so each link of a chain over several lines has its own.
 * `import.meta` is `mem` `meta` of the identifier `import`. Enums and namespaces are objects; parameter properties are
 * assignments to `this`. Functions without a name get that of the variable or property that they are the value of.
 */
export interface JavaScriptFacts {
  /** Directives at the top of the file, such as `use client`. */
  readonly directives: readonly string[]
  readonly imports: readonly ImportFact[]
  readonly exports: readonly ExportFact[]
  /** Every function of the file, however nested; `functions[0]` is the module body itself. */
  readonly functions: readonly FunctionIR[]
  /** Line comments that speak to the audit or mark unfinished work: `prelaunch-ignore ...`, TODO, FIXME, HACK, XXX. */
  readonly comments: readonly CommentFact[]
  /** Astro only: lines of its `<script>` elements ([first, last]); imports and statements there run in the browser. */
  readonly browserLines?: readonly (readonly [number, number])[]
  /** What a bundler or minifier wrote: none of it was read. */
  readonly bundled?: true
  /** Astro only: local names of components with a `client:` directive. */
  readonly hydrated?: readonly string[]
}

export interface CommentFact {
  readonly text: string
  readonly l: number
}

export interface ImportFact {
  /** The module specifier as written. */
  readonly from: string
  readonly how: 'static' | 'dynamic' | 'require'
  readonly typeOnly?: true
  readonly bindings: readonly { readonly imported: string; readonly local: string }[] // imported: name, 'default' or '*'
  readonly l: number
}

export interface ExportFact {
  /** The exported name, 'default', or '*' for `export * from`. */
  readonly name: string
  /** The name in this file's module scope; absent for re-exports and anonymous defaults. */
  readonly local?: string
  /** The specifier of a re-export, and what is taken from it (a name, 'default' or '*'). */
  readonly from?: string
  readonly imported?: string
  /** `export default <expression>` and `module.exports = <expression>`: the expression (a statement of the module body, too). */
  readonly value?: Expr
  readonly l: number
}

/** Index into `functions`. */
export type FunctionId = number

export interface FunctionIR {
  readonly id: FunctionId
  readonly name?: string
  readonly params: readonly Pattern[]
  /** Name of each parameter's type where it is a plain reference (`NextRequest`, `Stripe.Event`), else null; absent when none is. */
  readonly types?: readonly (string | null)[]
  readonly async?: true
  readonly generator?: true
  readonly arrow?: true
  /** `use server`, `use client`, `use cache` at the start of the body. */
  readonly directives?: readonly string[]
  readonly body: readonly Stmt[]
  /** The function it is written in; absent for the module body. */
  readonly parent?: FunctionId
  readonly l: number
  readonly e: number
}

export type Pattern =
  | { readonly k: 'name'; readonly name: string; readonly init?: Expr }
  | { readonly k: 'object'; readonly props: readonly { readonly key: string; readonly to: Pattern }[]; readonly rest?: string; readonly init?: Expr }
  | { readonly k: 'array'; readonly items: readonly (Pattern | null)[]; readonly rest?: string; readonly init?: Expr }
  | { readonly k: 'rest'; readonly to: Pattern }
  /** An assignment target that is no declaration: `a.b = …`. */
  | { readonly k: 'expr'; readonly expr: Expr }

interface Node {
  readonly l: number
  readonly e?: number
}

export type Stmt =
  | (Node & { readonly k: 'let'; readonly how: 'const' | 'let' | 'var'; readonly to: Pattern; readonly init?: Expr })
  | (Node & { readonly k: 'expr'; readonly expr: Expr })
  | (Node & { readonly k: 'return'; readonly value?: Expr })
  | (Node & { readonly k: 'throw'; readonly value: Expr })
  | (Node & { readonly k: 'if'; readonly test: Expr; readonly then: readonly Stmt[]; readonly else?: readonly Stmt[] })
  | (Node & {
      readonly k: 'try'
      readonly body: readonly Stmt[]
      readonly param?: Pattern
      readonly handler?: readonly Stmt[]
      readonly finalizer?: readonly Stmt[]
    })
  | (Node & {
      readonly k: 'loop'
      readonly how: 'for' | 'of' | 'in' | 'while' | 'do'
      readonly init?: readonly Stmt[]
      readonly to?: Pattern
      readonly over?: Expr
      readonly test?: Expr
      readonly update?: Expr
      readonly body: readonly Stmt[]
    })
  | (Node & {
      readonly k: 'switch'
      readonly on: Expr
      readonly cases: readonly { readonly test?: Expr; readonly body: readonly Stmt[]; readonly l: number }[]
    })
  | (Node & { readonly k: 'block'; readonly body: readonly Stmt[]; readonly label?: string })
  | (Node & { readonly k: 'break' | 'continue'; readonly label?: string })
  /** A function declaration (hoisted). */
  | (Node & { readonly k: 'function'; readonly name: string; readonly fn: FunctionId })
  | (Node & { readonly k: 'class'; readonly name?: string; readonly class: ClassIR })

export interface ClassIR {
  readonly extends?: Expr
  readonly decorators: readonly Expr[]
  readonly members: readonly {
    readonly name: string
    readonly how: 'method' | 'get' | 'set' | 'constructor' | 'field'
    readonly static?: true
    readonly fn?: FunctionId
    readonly value?: Expr
    readonly decorators: readonly Expr[]
    /** Decorators of the parameters, by position; only when there are any. */
    readonly paramDecorators?: readonly (readonly Expr[])[]
    readonly l: number
  }[]
}

export type Expr =
  /** A string, number, boolean, null, undefined (no value) or bigint (as string). `secret` names the kind when the value was redacted. */
  | (Node & { readonly k: 'lit'; readonly v?: string | number | boolean | null; readonly secret?: string })
  | (Node & { readonly k: 'regex'; readonly v: string })
  /** `a${x}b`: quasis has one entry more than exprs. */
  | (Node & { readonly k: 'tpl'; readonly quasis: readonly string[]; readonly exprs: readonly Expr[] })
  | (Node & { readonly k: 'tag'; readonly tag: Expr; readonly tpl: Expr })
  | (Node & { readonly k: 'id'; readonly name: string })
  | (Node & { readonly k: 'this' | 'super' })
  /** `of.name` and `of['name']`. */
  | (Node & { readonly k: 'mem'; readonly of: Expr; readonly name: string; readonly opt?: true })
  | (Node & { readonly k: 'idx'; readonly of: Expr; readonly index: Expr; readonly opt?: true })
  | (Node & { readonly k: 'call'; readonly fn: Expr; readonly args: readonly Expr[]; readonly opt?: true })
  | (Node & { readonly k: 'new'; readonly fn: Expr; readonly args: readonly Expr[] })
  /** `import(x)`; literal specifiers are in `imports` too. */
  | (Node & { readonly k: 'import'; readonly from: Expr })
  | (Node & { readonly k: 'fn'; readonly fn: FunctionId })
  | (Node & { readonly k: 'class'; readonly class: ClassIR })
  | (Node & { readonly k: 'obj'; readonly props: readonly ObjectProp[] })
  | (Node & { readonly k: 'arr'; readonly items: readonly Expr[] })
  | (Node & { readonly k: 'spread'; readonly of: Expr })
  | (Node & { readonly k: 'bin'; readonly op: string; readonly a: Expr; readonly b: Expr })
  | (Node & { readonly k: 'logic'; readonly op: '&&' | '||' | '??'; readonly a: Expr; readonly b: Expr })
  | (Node & { readonly k: 'un'; readonly op: '!' | '-' | '+' | '~' | 'typeof' | 'void' | 'delete' | '++' | '--'; readonly of: Expr })
  | (Node & { readonly k: 'cond'; readonly test: Expr; readonly then: Expr; readonly else: Expr })
  | (Node & { readonly k: 'await'; readonly of: Expr })
  | (Node & { readonly k: 'yield'; readonly of?: Expr })
  | (Node & { readonly k: 'assign'; readonly op: string; readonly to: Pattern; readonly value: Expr })
  | (Node & { readonly k: 'seq'; readonly items: readonly Expr[] })
  /** JSX: text children are dropped; `tag` is `null` for fragments, a string for intrinsic elements. */
  | (Node & { readonly k: 'jsx'; readonly tag: string | Expr | null; readonly attrs: readonly ObjectProp[]; readonly children: readonly Expr[] })
  | (Node & { readonly k: 'opaque' })

/** `key` is absent for spreads and computed keys; a computed key is in `computed`. The value of an accessor is its function. */
export interface ObjectProp {
  readonly key?: string
  readonly how?: 'get' | 'set'
  readonly computed?: Expr
  readonly spread?: true
  readonly value: Expr
  readonly l: number
}
