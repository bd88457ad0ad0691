export { createTestClock } from './clock.ts'
export type { TestClock } from './clock.ts'
