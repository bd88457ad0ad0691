import type { ConsoleCall } from './caller.ts'
import type { ServiceContext } from './service-context.ts'

/** The service as an administrator uses it, in the console or at the command line. */
export interface Acting extends ServiceContext {
  /** Absent at the command line, where the machine's access control decides. */
  readonly console?: ConsoleCall
}
