//! Tables with columns aligned by cell width.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Look, put};
use crate::clean::{fit, width};

/// The width of a column, in cells.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// A fixed width.
    Fixed(usize),
    /// A fixed width, right-aligned.
    Right(usize),
    /// A share of the remaining width.
    Share(usize),
}

/// A table cell.
pub(super) struct TableCell {
    pub text: String,
    pub style: Style,
}

impl TableCell {
    pub fn new(text: impl Into<String>, style: Style) -> TableCell {
        TableCell { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for TableCell {
    fn from(text: T) -> TableCell {
        TableCell::new(text, Style::new())
    }
}

/// The width of each column, with one cell between them and two before the first.
fn widths(columns: &[Column], room: usize) -> Vec<usize> {
    let between = columns.len() + 1;
    let fixed: usize = columns
        .iter()
        .map(|column| match column {
            Column::Fixed(width) | Column::Right(width) => *width,
            Column::Share(_) => 0,
        })
        .sum();
    let shares: usize =
        columns.iter().map(|column| if let Column::Share(share) = column { *share } else { 0 }).sum();
    let left = room.saturating_sub(fixed + between);
    let mut unspent = left;
    let mut widths: Vec<usize> = columns
        .iter()
        .map(|column| match column {
            Column::Fixed(width) | Column::Right(width) => *width,
            Column::Share(share) => {
                let width = left * share / shares.max(1);
                unspent -= width;
                width
            }
        })
        .collect();
    if let Some(last) = columns.iter().rposition(|column| matches!(column, Column::Share(_))) {
        widths[last] += unspent;
    }
    widths
}

/// A row: its marker and its cells.
fn row(mark: &str, cells: Vec<TableCell>, columns: &[Column], room: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(fit(mark, room))];
    for ((cell, column), width_of) in cells.into_iter().zip(columns).zip(widths(columns, room)) {
        let text = fit(&cell.text, width_of);
        let gap = " ".repeat(width_of - width(&text));
        let text = match column {
            Column::Right(_) => format!("{gap}{text} "),
            _ => format!("{text}{gap} "),
        };
        spans.push(Span::styled(text, cell.style));
    }
    Line::from(spans)
}

/// Renders a heading and the rows that fit, including the selected one.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    look: &Look,
    (columns, names): (&[Column], &[&str]),
    (count, selected): (usize, usize),
    cells: impl Fn(usize) -> Vec<TableCell>,
) {
    if area.height == 0 {
        return;
    }
    let room = usize::from(area.width);
    let names = names.iter().map(|name| TableCell::from(*name)).collect();
    put(frame, area.y, row("  ", names, columns, room).style(look.theme.heading()));
    let rows = usize::from(area.height) - 1;
    let first = first_row(count, selected, rows);
    for (y, place) in (area.y + 1..area.bottom()).zip(first..count) {
        if place == selected {
            // One style for the whole row: a cell colour could be unreadable on it.
            let cells = cells(place).into_iter().map(|cell| TableCell::from(cell.text)).collect();
            put(frame, y, row("> ", cells, columns, room).style(look.theme.selected()));
        } else {
            put(frame, y, row("  ", cells(place), columns, room));
        }
    }
}

/// The first visible row; the selected one is in the middle if possible.
fn first_row(count: usize, selected: usize, rows: usize) -> usize {
    selected.saturating_sub(rows / 2).min(count.saturating_sub(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_room_and_no_more() {
        let columns = [Column::Fixed(8), Column::Share(1), Column::Right(5), Column::Share(2)];
        for room in 0..200 {
            let all: usize = widths(&columns, room).iter().sum();
            let least = 8 + 5 + 5;
            assert_eq!(all + 5, room.max(least), "{room}");
        }
    }

    #[test]
    fn the_selected_row_is_among_those_that_are_shown() {
        for count in 0..30 {
            for rows in 1..10 {
                for selected in 0..count {
                    let first = first_row(count, selected, rows);
                    assert!(first <= selected && selected < first + rows, "{count} {rows} {selected}");
                    assert!(first + rows <= count.max(rows), "no row is left empty without need");
                }
            }
        }
    }

    #[test]
    fn wide_characters_line_up() {
        let columns = [Column::Fixed(6), Column::Right(3)];
        let line = row("  ", vec!["世界".into(), "1".into()], &columns, 20);
        assert_eq!(line.to_string(), "  世界     1 ");
        let line = row("  ", vec!["世界世界".into(), "1".into()], &columns, 20);
        assert_eq!(line.to_string(), "  世界…    1 ");
    }
}
