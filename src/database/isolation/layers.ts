/**
 * The layers around the SQL sandbox that can be switched off one by one, so that a test sees what each of them stops alone. An option of the
 * program's own code: no setting and no variable reaches it.
 */
export interface Layers {
  /** Only WebAssembly modules of the installed packages are compiled. */
  readonly wasmGate: boolean
  /** Node's own: named reads, no code from strings, no inspector, no addons, no child processes. */
  readonly flags: boolean
  /** Modules and functions of Node that the engine does not need are taken away before it starts. */
  readonly builtins: boolean
  /** Own user, process, network, mount, IPC and UTS namespaces with a private root; Linux only. */
  readonly namespaces: boolean
  /** Another user id, where the parent is root and namespaces are not to be had. */
  readonly otherUser: boolean
}

/** What every program of ours runs with. */
export const ALL_LAYERS: Layers = { wasmGate: true, flags: true, builtins: true, namespaces: true, otherUser: true }

/** For tests: all layers off but the ones that are named. */
export function onlyLayers(...names: readonly (keyof Layers)[]): Layers {
  return Object.fromEntries(Object.keys(ALL_LAYERS).map((name) => [name, names.includes(name as keyof Layers)])) as unknown as Layers
}
