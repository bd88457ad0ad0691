import type { Observer } from '../monitoring/observer.ts'

/** Tells the observer how long a sweep took, and whether it failed. */
export async function measureSweep(observer: Observer, sweep: () => Promise<void>): Promise<void> {
  const begun = performance.now()
  const tell = (outcome: 'done' | 'failed') => observer.swept(outcome, (performance.now() - begun) / 1000)
  try {
    await sweep()
    tell('done')
  } catch (error) {
    tell('failed')
    throw error
  }
}
