export { followSecondStep } from './follow-second-step.ts'
export { leadToSecondStep } from './second-step.ts'
export type { SecondStepOptions } from './second-step.ts'
