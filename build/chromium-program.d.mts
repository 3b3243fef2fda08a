export function chromiumProgram(): string | undefined;
