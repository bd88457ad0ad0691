import type { FrameworkRequest } from './request.ts'

/** A guard passes a request on, or an error, or has it answered. */
export type Guard = (req: FrameworkRequest, next: (error?: unknown) => void) => void
