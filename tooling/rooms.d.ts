export declare const ROOMS: Readonly<Record<string, readonly string[]>>;
export declare function roomOf(file: string): string | null;
export declare function importProblem(from: string, specifier: string): string | null;
