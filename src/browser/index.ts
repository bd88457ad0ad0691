export { leadToSecondStep } from './second-step.ts'
