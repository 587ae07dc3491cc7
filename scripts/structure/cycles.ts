/** Groups of nodes that reach each other (strongly connected components of two or more, by Tarjan), largest first. */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []

  const enter = (node: string) => {
    order.set(node, order.size)
    lowest.set(node, order.get(node) as number)
    open.push(node)
    isOpen.add(node)
  }
  const lower = (node: string, to: number | undefined) => lowest.set(node, Math.min(lowest.get(node) as number, to as number))
  const follow = (node: string): void => {
    enter(node)
    for (const next of edges.get(node) ?? []) {
      if (!edges.has(next)) continue
      if (!order.has(next)) {
        follow(next)
        lower(node, lowest.get(next))
      } else if (isOpen.has(next)) lower(node, order.get(next))
    }
    if (lowest.get(node) !== order.get(node)) return
    const group = open.splice(open.lastIndexOf(node))
    for (const member of group) isOpen.delete(member)
    if (group.length > 1) groups.push(group.sort())
  }

  for (const node of edges.keys()) if (!order.has(node)) follow(node)
  return groups.sort((a, b) => b.length - a.length)
}
