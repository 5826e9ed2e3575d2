"""Filters over classes and departments."""
import text

ALL, UNASSIGNED = 'all', 'unassigned'


class Dimension:
    def __init__(self, part):
        self.members = part['members']
        self.last = part['last']
        self.position = {m['id']: i for i, m in enumerate(self.members, 1)}
        self.filters = [ALL] + [m['id'] for m in self.members] + [UNASSIGNED]
        self.roots = [m['id'] for m in self.members if m['parentId'] is None]

    def inside(self, chosen, tag):
        if chosen == ALL:
            return True
        if chosen == UNASSIGNED:
            return tag is None
        if tag is None:
            return False
        top = self.position[chosen]
        return top <= self.position[tag] <= self.last[top - 1]


class Filters:
    def __init__(self, frame):
        self.classes = Dimension(frame['classes'])
        self.departments = Dimension(frame['departments'])
        self.all = [(c, d) for c in self.classes.filters for d in self.departments.filters]

    def inside(self, scope, class_, department):
        return self.classes.inside(scope[0], class_) and self.departments.inside(scope[1], department)


def id_or_null(chosen):
    return None if chosen == ALL else chosen


def path(statement, basis, budget, scope):
    return 'statements/%s/%s/%s/%s/%s.json' % (
        statement, basis.lower(), 'actuals' if budget is None else text.file_name(budget),
        text.file_name(scope[0]), text.file_name(scope[1]))
