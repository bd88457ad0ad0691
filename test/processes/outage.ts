import { pause, systemClock } from '../../src/ground/clock.ts'
import { createCall, newUser } from '../service/start-service.ts'
import type { Cluster, Node } from './cluster.ts'

/** Between what is tried again and again, milliseconds: a database that starts needs the processor, too. */
const breath = 10

/** Adds users one after the other, and knows of which of them it was told that they were added. */
export function keepWriting({ call }: Pick<Cluster, 'call'>) {
  const acknowledged: string[] = []
  const enough = new AbortController()
  let noted = () => {}
  const writing = (async () => {
    for (let number = 0; !enough.signal.aborted; number += 1) {
      const body = newUser(`${Math.random()} ${number}`)
      const answer = await call('POST', '/users', { body }).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(answer.json.id)
      noted()
      await pause(systemClock, breath)
    }
  })()
  return {
    async atLeast(count: number): Promise<void> {
      while (acknowledged.length < count) await new Promise<void>((resolve) => void (noted = resolve))
    },
    /** Ends it. @returns those that are not there although they were acknowledged. */
    async lost(): Promise<readonly string[]> {
      enough.abort()
      await writing
      const answers = await Promise.all(acknowledged.map((id) => call('GET', `/users/${id}`)))
      return acknowledged.filter((_, index) => answers[index]?.status !== 200)
    },
  }
}

export interface Timed {
  readonly status: number
  readonly retryAfter: string | null
  /** Milliseconds. */
  readonly took: number
}

/** One request of a caller that waits for ten seconds at most. */
export async function timed(url: string, init: RequestInit = {}): Promise<Timed> {
  const start = performance.now()
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000), ...init })
  await response.arrayBuffer()
  const { status, headers } = response
  return { status, retryAfter: headers.get('retry-after'), took: performance.now() - start }
}

export async function whenReady(node: Node): Promise<void> {
  while ((await fetch(`${node.origin()}/readyz`)).status !== 200) await pause(systemClock, breath)
}

/** PostgreSQL stops while people write, until `whileFrozen` is over, and goes on. @returns the acknowledged writes that are lost. */
export async function freezeDuring<T>(
  cluster: Cluster,
  whileFrozen: (node: Node) => Promise<T>,
): Promise<{ readonly observed: T; readonly lost: readonly string[] }> {
  const [node] = cluster.serviceNodes
  if (!node) throw new Error('there is no node')
  const written = keepWriting(cluster)
  await written.atLeast(5)
  cluster.postgres.freeze()
  try {
    const result = await whileFrozen(node)
    cluster.postgres.thaw()
    await whenReady(node)
    await written.atLeast(10)
    return { observed: result, lost: await written.lost() }
  } finally {
    cluster.postgres.thaw()
  }
}

/** What a caller and a load balancer are told at that moment. */
export async function lookAt(node: Node): Promise<{ readonly users: Timed; readonly ready: Timed }> {
  const headers = { authorization: `Service key="${'x'.repeat(64)}"` }
  return {
    users: await timed(`${node.origin()}/api/users`, { headers }),
    ready: await timed(`${node.origin()}/readyz`),
  }
}

/**
 * PostgreSQL is killed and comes back while a request waits at one node, which hears nothing meanwhile, for what happens
 * at another one.
 */
export async function missNotification(cluster: Cluster, userId: string) {
  const [here, there] = cluster.serviceNodes
  if (!here || !there) throw new Error('there are no two nodes')
  const at = (node: Node) => createCall(node.origin(), cluster.apiKey)
  const sessions = `/domains/${cluster.domainId}/sessions`
  const written = keepWriting(cluster)
  const { json: session } = await cluster.call('POST', sessions, { body: { user: { id: userId } } })
  const heldRead = at(here)('GET', `${sessions}/${session.id}`, { headers: { prefer: 'wait=60' } })
  // So many later ones have been answered: this one is held.
  await written.atLeast(15)

  here.signal('SIGSTOP')
  try {
    await cluster.postgres.kill()
    await cluster.postgres.restart()
    while ((await at(there)('DELETE', `${sessions}/${session.id}`)).status !== 200) await pause(systemClock, breath)
  } finally {
    here.signal('SIGCONT')
  }
  const start = performance.now()
  const { json } = await heldRead
  const took = performance.now() - start
  await written.atLeast(20)
  return { session: json, took, lost: await written.lost() }
}
