export { followSecondStep } from './follow-second-step.ts'
export { leadToChallenge, leadToSecondStep } from './second-step.ts'
export type { SecondStepOptions } from './second-step.ts'
