import toolkeep from './lib.cjs'

export const {
  Runtime,
  Scrubber,
  ToolError,
  ToolkeepError,
  checkCommand,
  generateKey,
  scrub,
  version,
} = toolkeep

export default toolkeep
